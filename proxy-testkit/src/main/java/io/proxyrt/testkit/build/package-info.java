/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
/** Compiles what this module has of C: {@link io.proxyrt.testkit.build.LibraryBuild}. */
package io.proxyrt.testkit.build;

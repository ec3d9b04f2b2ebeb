/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
/** What {@code proxyrt why} says of jobs that stand still. */
package io.proxyrt.cli.why;

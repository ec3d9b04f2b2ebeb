/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
/** What ranks did over a time, of all of them on one clock. */
package io.proxyrt.cli.trace;

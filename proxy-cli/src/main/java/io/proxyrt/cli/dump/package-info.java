/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
/** What {@code proxyrt dump} and {@code proxyrt blackbox} show of runtimes, from their mapped files alone. */
package io.proxyrt.cli.dump;

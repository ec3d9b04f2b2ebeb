/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
/** {@code proxyrt info devices}: the devices of this host, and what joins them. */
package io.proxyrt.cli.devices;


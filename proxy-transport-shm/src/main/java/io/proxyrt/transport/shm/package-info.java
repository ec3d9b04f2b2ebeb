/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
/** The SHM transport: a segment of host memory that both ranks of a connection map. */
package io.proxyrt.transport.shm;

/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * The COLLNET transport. The heads of all nodes, one rank for each adapter, hand their data to the network, which
 * combines them and hands each head the outcome. The proxies of a head's channels share a buffer, a comm of the network
 * and an order of ops: up to eight channels make one call of the network.
 */
package io.proxyrt.transport.collnet;

/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * What participants and switches say to each other over TCP: the handshake, the frames before and after it, and how
 * both are checked. {@link io.proxyrt.transport.collnet.wire.WireDescriptor} has the layout.
 */
package io.proxyrt.transport.collnet.wire;

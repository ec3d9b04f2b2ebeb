/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.p2p;

import io.proxyrt.core.counters.MemoryAccounts;
import io.proxyrt.core.progress.TransportContext;
import io.proxyrt.core.transport.CopyLanes;

/**
 * What connections are made with.
 *
 * @param devices  whose memory and streams
 * @param ways     how memory gets to peers
 * @param settings how connections are laid out
 * @param lanes    that copy
 * @param accounts are told who has how much memory
 */
record P2pParts(P2pDevices devices, Ways ways, P2pSettings settings, CopyLanes lanes, MemoryAccounts accounts) {
    static P2pParts of(TransportContext context) {
        return new P2pParts(new P2pDevices(context.config(), context.rank(), context.device()),
                new Ways(context.config(), context.memory()), P2pSettings.of(context.config()),
                new CopyLanes(context), context.counters().memory());
    }
}

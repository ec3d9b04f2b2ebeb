/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.shm;

import io.proxyrt.core.counters.MemoryAccounts;
import io.proxyrt.core.device.Device;
import io.proxyrt.core.progress.TransportContext;
import io.proxyrt.core.transport.CopyLanes;
import java.security.SecureRandom;

/**
 * What connections are made with.
 *
 * @param device   whose memory and streams
 * @param accounts are told who has how much memory
 * @param lanes    that copy
 * @param settings how connections are laid out
 * @param kinds    where segments come from
 * @param random   for tokens
 */
record ShmParts(Device device, MemoryAccounts accounts, CopyLanes lanes, ShmSettings settings, SegmentKinds kinds,
        SecureRandom random) {
    static ShmParts of(TransportContext context, SegmentKinds kinds) {
        return new ShmParts(context.device(), context.counters().memory(),
                new CopyLanes(context), ShmSettings.of(context.config()), kinds,
                new SecureRandom());
    }

    /** For a segment's header: a peer that maps another one finds another token. */
    long token() {
        return random.nextLong();
    }
}

/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.shm;

import io.proxyrt.core.config.Option;
import io.proxyrt.core.config.OptionsProvider;
import java.util.List;

/** The options of the SHM transport. */
public final class ShmOptions implements OptionsProvider {
    /** Whether the transport keeps out of it. */
    public static final Option<Integer> DISABLE = Option.ofInt(
            "shm.disable", "NCCL_SHM_DISABLE", 0, 0, 1, "1: ranks of one host do not use shared memory");
    /** In whose segment the buffers lie. */
    public static final Option<Integer> LOCALITY = Option.ofInt(
            "shm.locality", "NCCL_SHM_LOCALITY", ShmSettings.RECEIVER, ShmSettings.SENDER, ShmSettings.RECEIVER,
            "whose segment holds the buffers: 1 the sender's, 2 the receiver's; equal at all ranks");
    /** How segments get to the peer. */
    public static final Option<SegmentKind> SEGMENT = Option.ofEnum(
            "shm.segment", "", SegmentKind.AUTO, "how segments get to the peer: memfd by descriptor, or file");

    /** For {@link java.util.ServiceLoader}. */
    public ShmOptions() {
    }

    @Override
    public List<Option<?>> options() {
        return List.of(DISABLE, LOCALITY, SEGMENT);
    }
}

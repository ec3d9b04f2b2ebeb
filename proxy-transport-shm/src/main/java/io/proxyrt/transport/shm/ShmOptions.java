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

    /** For {@link java.util.ServiceLoader}. */
    public ShmOptions() {
    }

    @Override
    public List<Option<?>> options() {
        return List.of(DISABLE);
    }
}

/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.device;

/**
 * Work of a device that was captured once, and is launched as often as one likes: {@code cudaGraphExec_t}, {@code
 * hipGraphExec_t}. One thread at a time.
 */
public interface DeviceGraph extends AutoCloseable {
    /**
     * Has a stream do all that was captured, behind what is on it. Neither blocks nor allocates.
     *
     * @param stream of the device whose stream it was captured from; need not be the same one
     * @return as {@link DeviceStream#copy}
     */
    int launch(DeviceStream stream);

    /** Gives it back. Idempotent. Launches that are under way go on. */
    @Override
    void close();
}

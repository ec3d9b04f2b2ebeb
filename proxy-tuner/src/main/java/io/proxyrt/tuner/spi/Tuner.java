/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.tuner.spi;

import io.proxyrt.core.CollFunction;
import io.proxyrt.core.ProxyException;
import io.proxyrt.tuner.CollInfo;
import io.proxyrt.tuner.TimeTable;
import io.proxyrt.tuner.TunerConstants;
import io.proxyrt.tuner.Way;

/**
 * Has a say in what a communicator's calls take: NCCL's {@code ncclTuner}. Ranks choose by themselves, so a tuner has
 * to say the same at every rank. One thread at a time.
 */
public interface Tuner extends AutoCloseable {
    /**
     * For messages.
     *
     * @return what it calls itself
     */
    String name();

    /**
     * The numbers that the cost model shall compute with: as they were asked for, or changed.
     *
     * @return what {@link TunerRequest#constants} had, unless the tuner wants others
     */
    TunerConstants constants();

    /**
     * Changes the times of a call: NCCL's {@code getCollInfo}.
     *
     * @param function that is called
     * @param call     size, and others of its group
     * @param times    that the model says, to be changed: 0 asks for a way, less than 0 rules it out. A way that the
     *                 model or the user has ruled out stays so, whatever the tuner says
     * @return the most channels that the call should have; 0 or less if that is left to the model
     * @throws ProxyException if it cannot say; the model's times count then
     */
    int adjust(CollFunction function, CollInfo call, TimeTable times);

    /**
     * The size of a chunk: NCCL's {@code getChunkSize}. The caller limits it to what fits its buffers.
     *
     * @param function   that is called
     * @param call       size, and others of its group
     * @param way        that was chosen
     * @param channels   that were chosen
     * @param chunkBytes so far
     * @return bytes; {@code chunkBytes} if that is left to the caller
     * @throws ProxyException if it cannot say
     */
    default long chunkBytes(CollFunction function, CollInfo call, Way way, int channels, long chunkBytes) {
        return chunkBytes;
    }

    /** Lets go of what it has; throws nothing. Idempotent. */
    @Override
    void close();
}

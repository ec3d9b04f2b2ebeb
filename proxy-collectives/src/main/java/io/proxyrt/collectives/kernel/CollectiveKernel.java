/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives.kernel;

import io.proxyrt.core.device.DeviceConnection;
import java.util.Arrays;
import java.util.function.Supplier;

/** One launch of a ring collective, over all channels; prepared anew for each. */
public final class CollectiveKernel extends BlocksKernel<RingBlock> {
    private CollectiveKernel(int nRanks, RingBlock[] blocks) {
        super(nRanks, "", blocks);
    }

    /**
     * Kernels that take turns on the same connections.
     *
     * @param order  of the ring
     * @param rank   of this device
     * @param recv   from the ring's predecessor, by channel; empty if it is alone
     * @param send   to the ring's successor, by channel; empty if it is alone
     * @param divisor of averages
     * @return makes kernels that were not prepared
     */
    public static Supplier<CollectiveKernel> source(RingOrder order, int rank, DeviceConnection[] recv,
            DeviceConnection[] send, int divisor) {
        int nRanks = order.nRanks();
        RingChannel[] channels = new RingChannel[Math.max(1, send.length)];
        for (int c = 0; c < channels.length; c++) {
            channels[c] = new RingChannel(nRanks, nRanks > 1 ? recv[c] : null, nRanks > 1 ? send[c] : null,
                    divisor);
        }
        return () -> new CollectiveKernel(nRanks, Arrays.stream(channels)
                .map(channel -> new RingBlock(order, rank, channel)).toArray(RingBlock[]::new));
    }

    /**
     * Gives one channel its part of {@link #work()}; the launching thread, before the launch.
     *
     * @param channel which
     * @param offset  of the channel's part, in bytes
     * @param bytes   of the channel's part; 0: nothing to do
     * @return how the part is cut, for the proxy's ops; meaningless if nothing is to be done or there is one rank
     */
    public RingGeometry prepare(int channel, long offset, long bytes) {
        blocks[channel].prepare(work(), offset, bytes);
        return blocks[channel].geometry();
    }
}

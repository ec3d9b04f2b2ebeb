/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives.kernel;

import io.proxyrt.core.Protocol;
import io.proxyrt.core.device.DeviceConnection;
import io.proxyrt.core.device.HostKernel;

/** One launch of a ring collective, over all channels; prepared anew for each. */
public final class CollectiveKernel implements HostKernel {
    private final CollectiveWork work = new CollectiveWork();
    private final RingBlock[] blocks;

    private CollectiveKernel(RingBlock[] blocks) {
        this.blocks = blocks;
    }

    /**
     * A set of kernels that take turns on the same connections.
     *
     * @param count  how many
     * @param rank   of this device
     * @param nRanks in the ring
     * @param recv   from the ring's predecessor, by channel; empty if nRanks is 1
     * @param send   to the ring's successor, by channel; empty if nRanks is 1
     * @return kernels that were not prepared
     */
    public static CollectiveKernel[] create(int count, int rank, int nRanks, DeviceConnection[] recv,
            DeviceConnection[] send) {
        int channels = Math.max(1, send.length);
        Primitives[] primitives = new Primitives[channels];
        Reductions[] reductions = new Reductions[channels];
        for (int c = 0; c < channels; c++) {
            primitives[c] = nRanks > 1 ? new Primitives(recv[c], send[c]) : null;
            reductions[c] = new Reductions(nRanks);
        }
        CollectiveKernel[] kernels = new CollectiveKernel[count];
        for (int k = 0; k < count; k++) {
            RingBlock[] blocks = new RingBlock[channels];
            for (int c = 0; c < channels; c++) {
                blocks[c] = new RingBlock(rank, nRanks, nRanks > 1 ? send[c].stepBytes(Protocol.SIMPLE) : 0,
                        primitives[c], reductions[c]);
            }
            kernels[k] = new CollectiveKernel(blocks);
        }
        return kernels;
    }

    /**
     * What the next launch shall do; to be filled by the launching thread.
     *
     * @return this kernel's own
     */
    public CollectiveWork work() {
        return work;
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
        blocks[channel].prepare(work, offset, bytes);
        return blocks[channel].geometry();
    }

    @Override
    public int doWork() {
        int moved = 0;
        for (RingBlock block : blocks) {
            moved += block.doWork();
        }
        return moved;
    }

    @Override
    public boolean isDone() {
        for (RingBlock block : blocks) {
            if (!block.isDone()) {
                return false;
            }
        }
        return true;
    }

    @Override
    public void onRetired(boolean isDropped) {
        work.clear();
        for (RingBlock block : blocks) {
            block.retire();
        }
    }
}

/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.spi;

/**
 * The receiving end of a connection. All arrays belong to the caller and are not looked at after the call; only the
 * first n elements matter.
 */
public interface NetRecvComm extends NetComm {
    /**
     * Posts a receive for n messages. Messages are matched in the order of posting, and by tag within a group. A
     * network that does not group (maxRecvs is 1) does not look at tags.
     *
     * @param n        how many messages, 1 to the device's maxRecvs
     * @param memories registered with this comm
     * @param offsets  where the messages go
     * @param sizes    most bytes of each message; shorter ones are fine
     * @param tags     of the messages
     * @return the request, 0 if there is no room for it now, a negated {@link io.proxyrt.core.ProxyResult} code on
     *         failure: {@code INVALID_ARGUMENT} for another n or a range outside the memory
     */
    long irecv(int n, NetMemory[] memories, long[] offsets, long[] sizes, int[] tags);

    /**
     * Posts a receive for one message whose data say themselves when they are there, as those of LL and LL128 do: so
     * the network may complete the request before they are. RCCL passes this as a hint in the request. The size that
     * {@link #test} then reports means nothing.
     *
     * @param memories as {@link #irecv}, of one
     * @param offsets  as {@link #irecv}
     * @param sizes    as {@link #irecv}
     * @param tags     as {@link #irecv}
     * @return as {@link #irecv}
     */
    default long irecvUntracked(NetMemory[] memories, long[] offsets, long[] sizes, int[] tags) {
        return irecv(1, memories, offsets, sizes, tags);
    }

    /**
     * Makes received data visible to a device's kernels, where a network that writes to device memory needs it.
     *
     * @param n        how many messages
     * @param memories where they are
     * @param offsets  where they start
     * @param sizes    their bytes, as {@link #test} reported them; 0 is passed over
     * @return a request to be tested, 0 if there is nothing to wait for, a negated
     *         {@link io.proxyrt.core.ProxyResult} code on failure
     */
    long iflush(int n, NetMemory[] memories, long[] offsets, long[] sizes);

    /**
     * What the sender said of a message, right after {@link #test} said 1 for its request.
     *
     * @param request that is complete
     * @param index   of the message in the request
     * @return 0 if the sender said nothing, or the network does not carry it
     */
    default int stamp(long request, int index) {
        return 0;
    }
}

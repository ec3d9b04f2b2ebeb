/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.progress;

import io.proxyrt.core.device.DeviceConnection;

/**
 * One op inside a group: RCCL's {@code ncclProxySubArgs}. Plain fields, because the progress thread alone touches them;
 * whoever else looks sees a snapshot. All counters are relative to {@link #base}, and advance by the group's
 * sliceSteps.
 */
public final class ProxySubArgs {
    /** The connection the op runs on. */
    public ProxyConnection connection;
    /** Whether user memory is registered with the network. */
    public boolean reg;
    /** Channel of the communicator. */
    public int channelId;
    /** The rank at the other end. */
    public int peer;
    /** Steps this op takes. */
    public int nsteps;
    /** Most bytes of one slice, or of the whole registered buffer. */
    public long nbytes;
    /** Bytes of a chunk. */
    public long chunkSize;
    /** Absolute step at which the op starts. */
    public long base;
    /** Send: steps offered to the kernel. Receive: steps with an irecv. */
    public long posted;
    /** Receive: steps whose data came in. */
    public long received;
    /** Send: steps the network took. Receive: steps published to the kernel. */
    public long transmitted;
    /** Send: steps the network is done with. Receive: steps the kernel consumed. */
    public long done;
    /** The network's outstanding request for each slot; 0 for none. */
    public final long[] requests = new long[DeviceConnection.STEPS];

    /** For giving the op's slot back. */
    int ticket;

    ProxySubArgs() {
    }

    /**
     * Whether nothing is left to do.
     *
     * @return true when done has reached nsteps
     */
    public boolean isDone() {
        return done == nsteps;
    }

    /**
     * Whether the counters stand as a network send must leave them.
     *
     * @return false on a bug
     */
    public boolean isSendOrdered() {
        return 0 <= done && done <= transmitted && transmitted <= posted && posted <= nsteps
                && posted - done <= DeviceConnection.STEPS;
    }

    /**
     * Whether the counters stand as a network receive must leave them.
     *
     * @return false on a bug
     */
    public boolean isRecvOrdered() {
        return 0 <= done && done <= transmitted && transmitted <= received && received <= posted && posted <= nsteps
                && posted - done <= DeviceConnection.STEPS;
    }

    @Override
    public String toString() {
        return "peer " + peer + ", channel " + channelId + ", steps posted " + posted + " received " + received
                + " transmitted " + transmitted + " done " + done + " of " + nsteps + ", base " + base;
    }
}

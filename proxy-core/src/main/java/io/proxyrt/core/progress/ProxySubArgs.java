/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.progress;

import io.proxyrt.core.device.DeviceConnection;
import io.proxyrt.core.jfr.OpEvent;

/**
 * One op inside a group: RCCL's {@code ncclProxySubArgs}. Plain fields, because the progress thread alone touches them;
 * other threads see a snapshot. All counters are relative to {@link #base}, and advance by the group's
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
    /** Bytes of one participant's part of a collective that a network carries out; 0 if it has no parts. */
    public long loopSize;
    /** Handle of the registered send buffer; 0 for none. */
    public long sendMhandle;
    /** Handle of the registered receive buffer; 0 for none. */
    public long recvMhandle;
    /** First byte of the send buffer in its registration. */
    public long sendbuff;
    /** First byte of the receive buffer in its registration. */
    public long recvbuff;
    /** The send buffer, while the op holds it. */
    public ProxyRegistration sendRegistration;
    /** The receive buffer, while the op holds it. */
    public ProxyRegistration recvRegistration;
    /** What the transport keeps here; stays from op to op, so that it need not be allocated again. */
    public Object attachment;
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

    /** Bytes that the op has moved: counted by the transport, if it can tell. */
    public long bytes;

    /** For giving the op's slot back. */
    int ticket;
    /** When the op was fetched whose last look the next three are of. */
    long seenSince;
    long seenMoves;
    long movedNs;
    boolean isStalled;
    /** Null if the op was fetched while no recording wanted it. */
    OpEvent recorded;
    /** Of the last event of its steps. */
    long recordedMoves;

    ProxySubArgs() {
    }

    /**
     * Finds the registered memory of the op and holds it until {@link #release()}: a Deregister waits until then. Once
     * for an op, before its first step.
     *
     * @return null, or why the memory cannot be used; then {@link #release()} is called too
     */
    public String hold() {
        assert sendRegistration == null && recvRegistration == null && done == 0 : this;
        sendRegistration = held(sendMhandle);
        recvRegistration = held(recvMhandle);
        if (sendMhandle != 0 && sendRegistration == null) {
            return connection + " has no registered memory with handle " + sendMhandle + " to send from";
        }
        if (recvMhandle != 0 && recvRegistration == null) {
            return connection + " has no registered memory with handle " + recvMhandle + " to receive into";
        }
        return null;
    }

    /** Lets go of what {@link #hold()} holds. Idempotent. */
    public void release() {
        if (sendRegistration != null) {
            sendRegistration.letGo();
            sendRegistration = null;
        }
        if (recvRegistration != null) {
            recvRegistration.letGo();
            recvRegistration = null;
        }
    }

    /**
     * The op is over. If it did not end well, requests of the network may still refer to its memory, so that stays held
     * for as long as its connection, which takes no more ops, is there.
     */
    void leave() {
        if (isDone()) {
            release();
        }
        sendRegistration = null;
        recvRegistration = null;
    }

    private ProxyRegistration held(long handle) {
        ProxyRegistration registration = handle == 0 ? null : connection.registration(handle);
        return registration != null && registration.hold() ? registration : null;
    }

    /** Grows whenever the op moves. */
    long moves() {
        return posted + received + transmitted + done;
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

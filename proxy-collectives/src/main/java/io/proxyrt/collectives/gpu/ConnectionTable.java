/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives.gpu;

import io.proxyrt.core.Protocol;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.device.Device;
import io.proxyrt.core.device.DeviceConnection;
import io.proxyrt.core.device.DeviceMemory;
import io.proxyrt.core.device.KernelAddresses;
import io.proxyrt.core.device.PeerMemory;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.IdentityHashMap;
import java.util.Map;

/**
 * What kernels know of their connections, in the device's memory: NCCL's {@code ncclDevChannelPeer}. A connection is
 * put there once; from then on it is the kernels' own, and its counts persist from launch to launch.
 *
 * <pre>
 *   0      8       16     24     32        40        48          72             96       104        112
 *  +------+-------+------+------+---------+---------+-----------+--------------+--------+----------+----------+
 *  | step | lines | seen | peer | sendMem | recvMem | buffer[3] | stepBytes[3] | direct | isShared | isBroken |
 *  +------+-------+------+------+---------+---------+-----------+--------------+--------+----------+----------+
 *   120       128      136      144     168
 *  +---------+--------+--------+-------+--------------+
 *  | retired | places | placed | known | knownVersion |
 *  +---------+--------+--------+-------+--------------+
 * </pre>
 *
 * <p>A kernel that gives up says so in isBroken of the first connection. Its data are missing at a peer, which would
 * take those of the next launch for them: so launches that come after it move nothing.
 */
public final class ConnectionTable implements AutoCloseable {
    /** Bytes of a connection. */
    static final long STRIDE = 176;
    static final long SEEN = 16;
    static final long PEER = 24;
    static final long SEND_MEM = 32;
    static final long RECV_MEM = 40;
    static final long BUFFERS = 48;
    static final long STEP_BYTES = 72;
    static final long DIRECT = 96;
    static final long SHARED = 104;
    static final long PLACES = 128;
    /** Beside the protocols that are direct. */
    private static final long WHOLE_LINES = 1 << 8;

    private final Device device;
    private final LaunchQueue queue;
    private final DeviceMemory table;
    /** One for each peer into whose memory kernels may put data. */
    private final Map<PeerMemory, PlaceTable> places = new IdentityHashMap<>();
    /** What is put into the table lies here until the stream has copied it. */
    private final DeviceMemory staging;

    /**
     * An empty table.
     *
     * @param device   of the kernels
     * @param queue    of their launches
     * @param capacity connections
     */
    public ConnectionTable(Device device, LaunchQueue queue, int capacity) {
        this.device = device;
        this.queue = queue;
        this.table = device.allocate(capacity * STRIDE);
        try {
            this.staging = device.allocateHost(capacity * STRIDE);
        } catch (RuntimeException | Error e) {
            table.close();
            throw e;
        }
    }

    /**
     * Where kernels find the table.
     *
     * @return the device's address
     */
    public long address() {
        return table.address();
    }

    /**
     * Gives a connection to the kernels of all later launches.
     *
     * @param index      where nothing was put before
     * @param connection that no kernel has used
     * @param peer       the rank at its other end
     * @throws ProxyException {@link ProxyResult#INVALID_USAGE} if its transport serves the host device alone
     */
    public void put(int index, DeviceConnection connection, int peer) {
        put(index, connection, peer, 0);
    }

    /**
     * As {@link #put}, of one to send by: kernels may put data right into memory that the peer has registered, if they
     * reach it.
     *
     * @param index      as of that
     * @param connection as of that
     * @param peer       as of that
     * @throws ProxyException as of that, or if the peer has registered more than kernels can know
     */
    public void putPlacing(int index, DeviceConnection connection, int peer) {
        boolean hasPlaces = connection.isDirect(Protocol.SIMPLE) && connection.peerMemory() != null;
        put(index, connection, peer, hasPlaces ? places.computeIfAbsent(connection.peerMemory(),
                memory -> new PlaceTable(device, memory)).address() : 0);
    }

    private void put(int index, DeviceConnection connection, int peer, long placesAddress) {
        KernelAddresses addresses = connection.addresses();
        if (addresses == null) {
            throw new ProxyException(ProxyResult.INVALID_USAGE, "the connection with rank " + peer
                    + " is of a transport that no GPU's kernels can use; choose another by proxyrt.coll.transport");
        }
        MemorySegment words = staging.segment().asSlice(index * STRIDE, STRIDE);
        words.set(ValueLayout.JAVA_LONG, SEEN, connection.isShared() ? -DeviceConnection.STEPS : 0);
        words.set(ValueLayout.JAVA_LONG, PEER, peer);
        words.set(ValueLayout.JAVA_LONG, SEND_MEM, addresses.sendMem());
        words.set(ValueLayout.JAVA_LONG, RECV_MEM, addresses.recvMem());
        long direct = 0;
        for (Protocol protocol : Protocol.values()) {
            long at = (long) protocol.ordinal() * Long.BYTES;
            words.set(ValueLayout.JAVA_LONG, BUFFERS + at, addresses.buffer(protocol));
            words.set(ValueLayout.JAVA_LONG, STEP_BYTES + at, connection.stepBytes(protocol));
            direct |= connection.isDirect(protocol) ? 1L << protocol.ordinal() : 0;
        }
        words.set(ValueLayout.JAVA_LONG, DIRECT, direct | (addresses.hasWholeLines() ? WHOLE_LINES : 0));
        words.set(ValueLayout.JAVA_LONG, SHARED, connection.isShared() ? 1 : 0);
        words.set(ValueLayout.JAVA_LONG, PLACES, placesAddress);
        queue.copy(table, staging, index * STRIDE, STRIDE);
    }

    /**
     * Whether kernels should look for places that a peer offers; to be followed by a launch with the answer, and by
     * {@link #launched}. Until then nothing that the peer takes back is unmapped.
     *
     * @param connection of {@link #putPlacing}
     * @return the version of what its peer has registered; 0 if that is nothing, or kernels reach slots alone
     */
    public long launching(DeviceConnection connection) {
        PlaceTable known = of(connection);
        return known == null ? 0 : known.launching();
    }

    /**
     * The launch is in the stream, behind which memory is unmapped, or it will not be.
     *
     * @param connection as of {@link #launching}
     */
    public void launched(DeviceConnection connection) {
        PlaceTable known = of(connection);
        if (known != null) {
            known.launched();
        }
    }

    private PlaceTable of(DeviceConnection connection) {
        return connection.peerMemory() == null ? null : places.get(connection.peerMemory());
    }

    /** Frees it; no kernel may run. Idempotent. */
    @Override
    public void close() {
        places.values().forEach(PlaceTable::close);
        places.clear();
        table.close();
        staging.close();
    }
}

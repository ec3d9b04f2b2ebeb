/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.progress;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.device.PeerDevice;
import io.proxyrt.core.device.host.Devices;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.net.UnknownHostException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.InvalidPathException;

/**
 * What every rank knows about every other: RCCL's {@code ncclPeerInfo}, with its {@code peerAddresses} and {@code
 * peerAddressesUDS}.
 *
 * @param rank     in the communicator
 * @param process  where it runs
 * @param service  where its service listens: an {@link InetSocketAddress} or a {@link UnixDomainSocketAddress}
 * @param uds      where its UDS thread listens, as {@link MemorySharing#address()}; empty if it has none
 * @param device   what it says of its device
 */
public record PeerInfo(int rank, PeerProcess process, SocketAddress service, String uds, PeerDevice device) {
    private static final int FIXED_BYTES = 4 + 8 + 8 + 8 + 2 + 2 + 2 + 4 + 8 + 8 + 8 + 8;
    /** In place of a port: the address is a path. */
    private static final int UNIX = 0;

    /**
     * Of a rank on a host device that says nothing of itself.
     *
     * @param rank    of the peer
     * @param process where it runs
     * @param service where its service thread listens
     * @param uds     where its UDS thread listens
     */
    public PeerInfo(int rank, PeerProcess process, SocketAddress service, String uds) {
        this(rank, process, service, uds, new PeerDevice(Devices.HOST, Devices.HOST, "", 0));
    }

    /**
     * The network itself, in place of a peer: the other end of connections whose data the network combines with those
     * of other ranks.
     *
     * @param nRanks of the communicator; RCCL gives it the number behind the last rank
     * @return no rank's
     */
    public static PeerInfo network(int nRanks) {
        return new PeerInfo(nRanks, new PeerProcess(0, 0, 0, PeerProcess.UNKNOWN, 0, 0), null, "");
    }

    /**
     * Whether this is the {@linkplain #network network}, and no rank.
     *
     * @return true if it has no service
     */
    public boolean isNetwork() {
        return service == null;
    }

    /**
     * Whether two ranks run on one host.
     *
     * @param other the other rank
     * @return true if they do
     */
    public boolean isSameHost(PeerInfo other) {
        return process.hostHash() == other.process.hostHash();
    }

    /**
     * Whether two ranks run in one process.
     *
     * @param other the other rank
     * @return true if they do
     */
    public boolean isSameProcess(PeerInfo other) {
        return isSameHost(other) && process.id() == other.process.id();
    }

    /**
     * Whether two ranks use one device: by its PCI id, or within a process by its name.
     *
     * @param other the other rank
     * @return true if they do; false if their processes know of no PCI id
     */
    public boolean isSameDevice(PeerInfo other) {
        return isSameHost(other) && device.kind().equals(other.device.kind())
                && (!device.pciId().isEmpty() && device.pciId().equalsIgnoreCase(other.device.pciId())
                || isSameProcess(other) && device.name().equals(other.device.name()));
    }

    /**
     * For the all-gather of the bootstrap.
     *
     * @return big-endian: rank, hostHash, pid, id of the process; port, or 0 for a path; length of the address, the
     *         address; length of the UDS address, UDS address; uid, shmId, netId, start, pidSpace; the device
     */
    public byte[] encode() {
        boolean isUnix = service instanceof UnixDomainSocketAddress;
        byte[] address = isUnix ? service.toString().getBytes(StandardCharsets.UTF_8)
                : ((InetSocketAddress) service).getAddress().getAddress();
        int port = isUnix ? UNIX : ((InetSocketAddress) service).getPort();
        byte[] udsBytes = uds.getBytes(StandardCharsets.UTF_8);
        byte[] deviceBytes = device.encode();
        return ByteBuffer.allocate(FIXED_BYTES + address.length + udsBytes.length + deviceBytes.length)
                .putInt(rank).putLong(process.hostHash()).putLong(process.pid()).putLong(process.id())
                .putShort((short) port).putShort((short) address.length).put(address)
                .putShort((short) udsBytes.length).put(udsBytes)
                .putInt(process.uid()).putLong(process.shmId()).putLong(process.netId())
                .putLong(process.start()).putLong(process.pidSpace())
                .put(deviceBytes).array();
    }

    /**
     * Undoes {@link #encode()}.
     *
     * @param bytes from another rank, not to be trusted
     * @return the peer
     * @throws ProxyException {@link ProxyResult#REMOTE_ERROR} if they are no peer info
     */
    public static PeerInfo decode(byte[] bytes) {
        try {
            ByteBuffer in = ByteBuffer.wrap(bytes);
            int rank = in.getInt();
            long hostHash = in.getLong();
            long pid = in.getLong();
            long processId = in.getLong();
            int port = Short.toUnsignedInt(in.getShort());
            byte[] address = bytes(in);
            String uds = new String(bytes(in), StandardCharsets.UTF_8);
            PeerProcess process = new PeerProcess(hostHash, pid, processId, in.getInt(), in.getLong(), in.getLong(),
                    in.getLong(), in.getLong());
            return new PeerInfo(rank, process, port == UNIX
                    ? UnixDomainSocketAddress.of(new String(address, StandardCharsets.UTF_8))
                    : new InetSocketAddress(InetAddress.getByAddress(address), port), uds, PeerDevice.decode(in));
        } catch (BufferUnderflowException | UnknownHostException | InvalidPathException e) {
            throw new ProxyException(ProxyResult.REMOTE_ERROR,
                    "a peer info of " + bytes.length + " bytes is broken", e);
        }
    }

    private static byte[] bytes(ByteBuffer in) {
        int length = Short.toUnsignedInt(in.getShort());
        if (length > in.remaining()) {
            throw new BufferUnderflowException();
        }
        byte[] bytes = new byte[length];
        in.get(bytes);
        return bytes;
    }
}

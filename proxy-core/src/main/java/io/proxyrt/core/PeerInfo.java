/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;

/**
 * What every rank knows about every other: RCCL's {@code ncclPeerInfo}.
 *
 * @param rank     in the communicator
 * @param hostHash equal for ranks of one host
 * @param pid      of its process
 * @param processId equal for ranks of one process
 * @param service  where its service listens
 */
public record PeerInfo(int rank, long hostHash, long pid, long processId, InetSocketAddress service) {
    private static final int FIXED_BYTES = 4 + 8 + 8 + 8 + 2 + 1;

    /**
     * Whether two ranks run on one host.
     *
     * @param other the other rank
     * @return true if they do
     */
    public boolean isSameHost(PeerInfo other) {
        return hostHash == other.hostHash;
    }

    /**
     * Whether two ranks run in one process.
     *
     * @param other the other rank
     * @return true if they do
     */
    public boolean isSameProcess(PeerInfo other) {
        return isSameHost(other) && processId == other.processId;
    }

    /**
     * For the all-gather of the bootstrap.
     *
     * @return big-endian: rank, hostHash, pid, processId, port, length of the address, address
     */
    public byte[] encode() {
        byte[] address = service.getAddress().getAddress();
        return ByteBuffer.allocate(FIXED_BYTES + address.length).putInt(rank).putLong(hostHash).putLong(pid)
                .putLong(processId).putShort((short) service.getPort()).put((byte) address.length).put(address).array();
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
            byte[] address = new byte[in.get()];
            in.get(address);
            return new PeerInfo(rank, hostHash, pid, processId,
                    new InetSocketAddress(InetAddress.getByAddress(address), port));
        } catch (BufferUnderflowException | NegativeArraySizeException | UnknownHostException e) {
            throw new ProxyException(ProxyResult.REMOTE_ERROR,
                    "a peer info of " + bytes.length + " bytes is broken", e);
        }
    }
}

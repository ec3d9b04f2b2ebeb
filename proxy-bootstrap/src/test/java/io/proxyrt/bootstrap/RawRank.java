/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bootstrap;

import io.proxyrt.core.ProcessIdentity;
import io.proxyrt.core.auth.Transcript;
import io.proxyrt.core.config.ProxyConfig;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.util.Map;

/** A rank, or an unauthenticated peer, of a plain blocking socket: sends what it is told, and nothing by itself. */
final class RawRank implements AutoCloseable {
    private final Socket socket;
    private final DataInputStream in;

    private RawRank(InetSocketAddress address) throws IOException {
        socket = new Socket(address.getAddress(), address.getPort());
        socket.setSoTimeout((int) Jobs.LONG.toMillis());
        socket.setTcpNoDelay(true);
        in = new DataInputStream(socket.getInputStream());
    }

    static RawRank connect(BootstrapRoot root) throws IOException {
        return connect(root.address());
    }

    static RawRank connect(InetSocketAddress address) throws IOException {
        return new RawRank(address);
    }

    /** Connects, says hello, and proves to know the id. */
    static RawRank hello(BootstrapRoot root, int rank, int nRanks) throws IOException {
        final RawRank raw = connect(root);
        raw.prove(credential(root.id()), hello(rank, nRanks));
        if (!(raw.next() instanceof Message.Welcome)) {
            throw new IOException("not welcome");
        }
        return raw;
    }

    static Credential credential(UniqueId id) {
        return Credential.of(id, ProxyConfig.builder().environment(Map.of()).build());
    }

    /** Says hello and answers the challenge; returns the proof. */
    Message.Proof prove(Credential credential, Message.Hello hello) throws IOException {
        send(hello);
        final Message.Proof proof = new Message.Proof(
                credential.rankProof(hello, (Message.Challenge) next()));
        send(proof);
        return proof;
    }

    static Message.Hello hello(int rank, int nRanks) {
        return hello(rank, nRanks, Jobs.LONG.toMillis());
    }

    static Message.Hello hello(int rank, int nRanks, long deadlineMillis) {
        return hello(rank, nRanks, deadlineMillis, LinkTerms.NONE, Return.NONE);
    }

    /** Of a process that does not exist. */
    static Message.Hello hello(int rank, int nRanks, long deadlineMillis, LinkTerms terms, Return back) {
        return new Message.Hello(Transcript.nonce(), rank, nRanks, new Origin(new ProcessIdentity(4711, 1, 1), 1),
                deadlineMillis, deadlineMillis, terms, back);
    }

    int port() {
        return socket.getLocalPort();
    }

    void send(Message message) throws IOException {
        send(MessageCodec.encode(message).array());
    }

    void send(byte[] bytes) throws IOException {
        socket.getOutputStream().write(bytes);
    }

    /** The next message but heartbeats, and news of where the root lives. */
    Message next() throws IOException {
        Message message = read();
        while (message instanceof Message.Heartbeat || message instanceof Message.Host) {
            message = read();
        }
        return message;
    }

    /** The next message of this type, whatever comes before. */
    <T extends Message> T next(Class<T> type) throws IOException {
        Message message = read();
        while (!type.isInstance(message)) {
            message = read();
        }
        return type.cast(message);
    }

    private Message read() throws IOException {
        final byte[] header = in.readNBytes(BootstrapDescriptor.HEADER_BYTES);
        if (header.length < BootstrapDescriptor.HEADER_BYTES) {
            throw new IOException("end of stream");
        }
        final ByteBuffer frame = ByteBuffer.wrap(header);
        return Jobs.decode(frame.get(5), ByteBuffer.wrap(in.readNBytes(frame.getInt(0))));
    }

    /** Whether the root closes this connection without another word. */
    boolean isClosedByRoot() throws IOException {
        try {
            return in.read() < 0;
        } catch (SocketTimeoutException e) {
            return false;
        } catch (SocketException e) {
            return true;
        }
    }

    /** Waits until the root closes this connection, whatever it says before. */
    void awaitEnd() throws IOException {
        in.readAllBytes();
    }

    /** Ends the connection as a killed process does: without a goodbye. */
    @Override
    public void close() throws IOException {
        socket.close();
    }

    /** Ends the connection as a crashed host does when it is back: with a reset. */
    void reset() throws IOException {
        socket.setSoLinger(true, 0);
        socket.close();
    }
}

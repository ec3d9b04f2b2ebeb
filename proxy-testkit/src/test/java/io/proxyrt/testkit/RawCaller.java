/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.testkit;

import io.proxyrt.core.PeerId;
import io.proxyrt.core.config.JobSecret;
import io.proxyrt.core.runtime.ProxyState;
import io.proxyrt.core.service.message.MessageType;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.PushbackInputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * Who calls a service and says whatever it likes. Written from docs/protocol.md alone. Every read ends in time: a
 * service that neither answers nor closes is an error.
 */
final class RawCaller implements AutoCloseable {
    static final int HELLO_BYTES = 56;
    static final int ANSWER_BYTES = 56;
    static final int REQUEST_BYTES = 24;
    private static final int RESPONSE_BYTES = 24;
    private static final int NONCE_OFFSET = 24;
    private static final int BINDING_BYTES = 32;
    private static final String MAGIC = "PRXRPC01";
    private static final short VERSION = 4;
    private static final int PATIENCE_MS = 20_000;

    private final Socket socket;
    private final InetSocketAddress service;
    private final PushbackInputStream unread;
    private final DataInputStream in;

    RawCaller(ProxyState service) throws IOException {
        this((InetSocketAddress) service.serviceAddress());
    }

    RawCaller(InetSocketAddress service) throws IOException {
        this(service, service);
    }

    /** By way of another address, which passes on all bytes to the service's. */
    RawCaller(InetSocketAddress way, InetSocketAddress service) throws IOException {
        this.service = service;
        socket = new Socket(way.getAddress(), way.getPort());
        socket.setTcpNoDelay(true);
        socket.setSoTimeout(PATIENCE_MS);
        unread = new PushbackInputStream(socket.getInputStream());
        in = new DataInputStream(unread);
    }

    static byte[] hello(PeerId self) {
        return ByteBuffer.allocate(HELLO_BYTES).put(MAGIC.getBytes(StandardCharsets.US_ASCII)).putShort(VERSION)
                .putInt(12, self.rank()).putLong(16, self.clientId()).put(NONCE_OFFSET, new byte[] {1, 2, 3}).array();
    }

    /** For the address of the service, without TLS. */
    byte[] proof(byte[] hello, byte[] challenge, JobSecret secret) {
        byte[] address = (service.getAddress().getHostAddress() + ":" + service.getPort())
                .getBytes(StandardCharsets.UTF_8);
        return secret.proof("proxyrt rpc caller", ByteBuffer.allocate(address.length + HELLO_BYTES + ANSWER_BYTES
                + BINDING_BYTES).put(address).put(hello).put(challenge).clear());
    }

    static byte[] request(MessageType type, long callId, long connectionId, ByteBuffer body) {
        return ByteBuffer.allocate(REQUEST_BYTES + body.remaining())
                .putInt(REQUEST_BYTES - 4 + body.remaining()).putInt(type.code() << 24).putLong(callId)
                .putLong(connectionId).put(body.duplicate()).array();
    }

    /** What the service answered to a call. */
    record Answer(long callId, int result, String detail, byte[] body) {
    }

    /** Opens a session; returns the proof it sent. */
    byte[] shakeHands(byte[] hello, JobSecret secret) throws IOException {
        send(hello);
        byte[] proof = proof(hello, read(ANSWER_BYTES), secret);
        send(proof);
        int status = ByteBuffer.wrap(read(ANSWER_BYTES)).getInt(12);
        if (status != 0) {
            throw new IOException("the service refused a good handshake with status " + status);
        }
        return proof;
    }

    /** False once the service has closed. */
    boolean send(byte[] bytes) throws IOException {
        try {
            socket.getOutputStream().write(bytes);
            return true;
        } catch (SocketException e) {
            return false;
        }
    }

    byte[] read(int count) throws IOException {
        byte[] bytes = new byte[count];
        in.readFully(bytes);
        return bytes;
    }

    /** The next response; null if the service closed instead. */
    Answer answer() throws IOException {
        try {
            ByteBuffer header = ByteBuffer.wrap(read(RESPONSE_BYTES));
            int detailBytes = header.getShort(6);
            String detail = new String(read(detailBytes), StandardCharsets.UTF_8);
            return new Answer(header.getLong(8), header.getInt(16), detail,
                    read(header.getInt(0) + 4 - RESPONSE_BYTES - detailBytes));
        } catch (EOFException | SocketException e) {
            return null;
        }
    }

    /** Says no more, and waits until the service has closed: it has seen all that was sent. */
    byte[] end() throws IOException {
        try {
            socket.shutdownOutput();
            return in.readAllBytes();
        } catch (SocketException e) {
            return new byte[0];
        }
    }

    /** Whether the service says something, or closes, before so much time has passed. */
    boolean isAnsweredWithin(int ms) throws IOException {
        socket.setSoTimeout(ms);
        try {
            int next = in.read();
            if (next >= 0) {
                unread.unread(next);
            }
            return true;
        } catch (SocketTimeoutException e) {
            return false;
        } catch (SocketException e) {
            return true;
        } finally {
            socket.setSoTimeout(PATIENCE_MS);
        }
    }

    /** Closes with a reset. */
    void reset() throws IOException {
        socket.setSoLinger(true, 0);
        socket.close();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}

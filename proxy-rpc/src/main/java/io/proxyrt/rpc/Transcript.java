/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.rpc;

import io.netty.buffer.ByteBuf;
import io.proxyrt.core.config.JobSecret;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * What both sides know before they prove that they know the job's secret: the service's address as the caller dialled
 * it, the hello and the challenge, byte by byte, and what only the two ends of this TLS connection share. As it holds
 * the address, nobody who listens elsewhere can pass a proof on; as each side adds a nonce, no proof serves a second
 * time; as each side has a label of its own, none serves for the other.
 */
final class Transcript {
    private static final String CALLER = "proxyrt rpc caller";
    private static final String SERVICE = "proxyrt rpc service";

    private final ByteBuffer said;

    /** Begins one for the service's end of the connection: what the caller dialled, where the service was reached. */
    Transcript(SocketAddress service) {
        byte[] address = Addresses.dialled(service).getBytes(StandardCharsets.UTF_8);
        said = ByteBuffer.allocate(address.length + RpcFrameDescriptor.HELLO_BYTES + RpcFrameDescriptor.ANSWER_BYTES
                + RpcTls.BINDING_BYTES).put(address);
    }

    /** Adds a frame: the hello first, then the challenge. */
    void add(ByteBuf frame, int index, int length) {
        frame.getBytes(index, said.limit(said.position() + length));
        said.limit(said.capacity());
    }

    /** Adds what binds it to the TLS connection; the last to be added. */
    void bind(byte[] binding) {
        said.put(binding);
    }

    byte[] callerProof(JobSecret secret) {
        return secret.proof(CALLER, whole());
    }

    boolean isCallerProof(JobSecret secret, byte[] proof) {
        return secret.isProof(CALLER, whole(), proof);
    }

    byte[] serviceProof(JobSecret secret) {
        return secret.proof(SERVICE, whole());
    }

    boolean isServiceProof(JobSecret secret, byte[] proof) {
        return secret.isProof(SERVICE, whole(), proof);
    }

    private ByteBuffer whole() {
        assert !said.hasRemaining() : said;
        return said.duplicate().flip();
    }
}

/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.rpc;

import io.netty.buffer.ByteBuf;
import io.proxyrt.core.JobSecret;
import java.nio.ByteBuffer;

/**
 * What both sides said before they prove that they know the job's secret: the hello and the challenge, byte by byte. As
 * each holds a nonce, no proof serves a second time; as each side has a label of its own, none serves for the other.
 */
final class Transcript {
    private static final String CALLER = "proxyrt rpc caller";
    private static final String SERVICE = "proxyrt rpc service";

    private final ByteBuffer said =
            ByteBuffer.allocate(RpcFrameDescriptor.HELLO_BYTES + RpcFrameDescriptor.ANSWER_BYTES);

    /** Adds a frame: the hello first, then the challenge. */
    void add(ByteBuf frame, int index, int length) {
        frame.getBytes(index, said.limit(said.position() + length));
        said.limit(said.capacity());
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

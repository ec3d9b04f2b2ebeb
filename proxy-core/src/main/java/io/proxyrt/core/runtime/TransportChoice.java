/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.runtime;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.progress.ConnectorRequest;
import io.proxyrt.core.progress.ProxyTransport;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * The transport of a connection, and why it is no better one. The two ends choose for themselves, each by its own
 * options, so they tell each other, ahead of the transport's own connect info: id of the transport, length of its name
 * and of the reasons in a byte each, name, reasons.
 *
 * @param id        of the transport
 * @param name      of the transport
 * @param transport carries the connection
 * @param refused   the transports that come before it, each with its reason; empty if there are none
 */
record TransportChoice(int id, String name, ProxyTransport transport, String refused) {
    private static final int MAX_NAME_BYTES = 16;
    private static final int MAX_REFUSED_BYTES = Byte.MAX_VALUE;
    /** Of what comes ahead of a transport's connect info, at most. */
    static final int MAX_BYTES = 4 + 1 + 1 + MAX_NAME_BYTES + MAX_REFUSED_BYTES;

    /** Puts the choice ahead of the transport's connect info. */
    byte[] encode(ByteBuffer info) {
        byte[] nameBytes = cut(name, MAX_NAME_BYTES);
        byte[] refusedBytes = cut(refused, MAX_REFUSED_BYTES);
        return ByteBuffer.allocate(6 + nameBytes.length + refusedBytes.length + info.remaining()).putInt(id)
                .put((byte) nameBytes.length).put((byte) refusedBytes.length).put(nameBytes).put(refusedBytes).put(info)
                .array();
    }

    /**
     * The transport's connect info, if the peer chose the same transport.
     *
     * @throws ProxyException {@link ProxyResult#INVALID_USAGE} naming both choices if it did not,
     *                        {@link ProxyResult#REMOTE_ERROR} if the bytes are broken
     */
    ByteBuffer requireSame(ConnectorRequest request, byte[] theirs) {
        ByteBuffer in = ByteBuffer.wrap(theirs);
        try {
            int theirId = in.getInt();
            byte[] theirName = new byte[in.get()];
            byte[] theirRefused = new byte[in.get()];
            in.get(theirName).get(theirRefused);
            if (theirId != id) {
                throw differ(request, text(theirName), text(theirRefused));
            }
            return in.slice();
        } catch (BufferUnderflowException | NegativeArraySizeException e) {
            throw new ProxyException(ProxyResult.REMOTE_ERROR, "the connect info of rank " + request.peer().rank()
                    + " is broken: " + theirs.length + " bytes", e);
        }
    }

    private ProxyException differ(ConnectorRequest request, String theirName, String theirRefused) {
        return new ProxyException(ProxyResult.INVALID_USAGE, "rank " + request.self().rank() + " and rank "
                + request.peer().rank() + " have to use the same transport between them, but rank "
                + request.self().rank() + " chose " + describe(name, refused) + ", rank " + request.peer().rank()
                + " " + describe(theirName, theirRefused) + "; give both the same options, and see proxyrt info peers");
    }

    private static String describe(String name, String refused) {
        return name + " (" + (refused.isEmpty() ? "the first that can" : refused) + ")";
    }

    private static byte[] cut(String text, int most) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        return bytes.length <= most ? bytes : Arrays.copyOf(bytes, most);
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }
}

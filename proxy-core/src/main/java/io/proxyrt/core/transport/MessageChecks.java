/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.transport;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import java.nio.ByteBuffer;

/**
 * Checks bodies of a transport's messages, which come from other ranks. Any thread.
 *
 * @param transport its name, for messages of errors
 * @param version   with which each body begins
 */
public record MessageChecks(String transport, int version) {
    /**
     * Begins to read.
     *
     * @param body     not changed
     * @param minBytes of a body
     * @param maxBytes of a body
     * @param what     it is, for people
     * @return big-endian, what comes after the version
     * @throws ProxyException {@link ProxyResult#INVALID_ARGUMENT} if it is of another length or version
     */
    public ByteBuffer begin(ByteBuffer body, int minBytes, int maxBytes, String what) {
        ByteBuffer in = body.slice();
        if (in.remaining() < minBytes || in.remaining() > maxBytes) {
            throw broken(what + " of " + in.remaining() + " bytes instead of " + minBytes
                    + (minBytes == maxBytes ? "" : " to " + maxBytes));
        }
        int found = in.getInt();
        if (found != version) {
            throw broken(what + " of version " + found + " instead of " + version);
        }
        return in;
    }

    /**
     * A number that counts from zero.
     *
     * @param value as it was read
     * @param end   the first that is too large
     * @param what  it is read from
     * @return the same
     * @throws ProxyException {@link ProxyResult#INVALID_ARGUMENT} if it is none
     */
    public int index(int value, int end, String what) {
        if (value < 0 || value >= end) {
            throw broken(what + " has " + value + " where a number below " + end + " belongs");
        }
        return value;
    }

    /**
     * What to throw.
     *
     * @param what is wrong
     * @return names the transport
     */
    public ProxyException broken(String what) {
        return new ProxyException(ProxyResult.INVALID_ARGUMENT, transport + ' ' + what);
    }
}

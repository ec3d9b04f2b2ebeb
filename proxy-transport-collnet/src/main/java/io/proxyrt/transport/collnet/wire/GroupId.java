/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.collnet.wire;

import io.proxyrt.core.config.JobSecret;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;

/** Which group: follows from the group's key, so that only its members know it. Immutable; any thread. */
public final class GroupId {
    /** Its size. */
    public static final int BYTES = JobSecret.PROOF_BYTES;
    /** A group's key: random, known to its members alone. */
    public static final int KEY_BYTES = 32;

    private static final String LABEL = "proxyrt collnet group";
    private static final int SHOWN_BYTES = 4;

    private final byte[] bytes;

    private GroupId(byte[] bytes) {
        this.bytes = bytes;
    }

    /**
     * The id of a group.
     *
     * @param key {@link #KEY_BYTES} random bytes, such as a listen handle carries
     * @return the same for the same key
     */
    public static GroupId of(byte[] key) {
        assert key.length == KEY_BYTES : key.length;
        return new GroupId(JobSecret.of(key).proof(LABEL, ByteBuffer.allocate(0)));
    }

    static GroupId decode(ByteBuffer in, int at) {
        final byte[] bytes = new byte[BYTES];
        in.get(at, bytes);
        return new GroupId(bytes);
    }

    void put(ByteBuffer out) {
        out.put(bytes);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof GroupId id && Arrays.equals(bytes, id.bytes);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(bytes);
    }

    /** Enough of it to tell groups apart in a log. */
    @Override
    public String toString() {
        return "group " + HexFormat.of().formatHex(bytes, 0, SHOWN_BYTES);
    }
}

/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.progress;

import io.proxyrt.core.DataType;
import io.proxyrt.core.RedOp;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.function.BiPredicate;

/**
 * What a network carries out by itself: NCCL's {@code collNetSupportMatrix}, and how many of its adapters do.
 * Immutable.
 *
 * @param network    what it calls itself; empty if there is none
 * @param devices    adapters that carry out collectives; 0 if none does
 * @param reductions a bit for each type and operator, as {@link #of} sets them, and one for windows
 */
public record CollNetSupport(String network, int devices, long reductions) {
    /** Of a transport that carries messages, and nothing else. */
    public static final CollNetSupport NONE = new CollNetSupport("", 0, 0);
    /** Channels that make a call together, and whose data stand side by side: RCCL's {@code COLLNET_GROUP_NSUBS}. */
    public static final int GROUP_CHANNELS = 8;

    private static final int OPS = RedOp.values().length;
    private static final long WINDOWS = 1L << 63;

    /**
     * Of adapters that say what they reduce, and that carry out all-gathers and reduce-scatters, too.
     *
     * @param network what it calls itself
     * @param devices how many there are
     * @param reduces what they say: {@code reduceSupport}
     * @return the support of all of them
     */
    public static CollNetSupport of(String network, int devices, BiPredicate<DataType, RedOp> reduces) {
        long bits = WINDOWS;
        for (DataType type : DataType.values()) {
            bits |= Arrays.stream(RedOp.values()).filter(op -> reduces.test(type, op))
                    .mapToLong(op -> bit(type, op)).sum();
        }
        return new CollNetSupport(network, devices, bits);
    }

    /**
     * Whether the network reduces so.
     *
     * @param type of the elements
     * @param op   the reduction
     * @return false if the ranks have to
     */
    public boolean reduces(DataType type, RedOp op) {
        return (reductions & bit(type, op)) != 0;
    }

    /**
     * Whether the network carries out all-gathers and reduce-scatters, by windows.
     *
     * @return false if there is all-reduce alone
     */
    public boolean hasWindows() {
        return (reductions & WINDOWS) != 0;
    }

    /**
     * The same of a network that has all-reduce alone.
     *
     * @return without windows
     */
    public CollNetSupport allReduceAlone() {
        return new CollNetSupport(network, devices, reductions & ~WINDOWS);
    }

    /**
     * What this network and another one both carry out.
     *
     * @param other of another rank, whose network is the {@linkplain #isOf same}
     * @return the smaller number of devices, and the reductions of both
     */
    public CollNetSupport and(CollNetSupport other) {
        return new CollNetSupport(network, Math.min(devices, other.devices), reductions & other.reductions);
    }

    /**
     * Whether a network is this one: others do not know each other's handles, nor each other's calls.
     *
     * @param name of it; case does not matter
     * @return false if they cannot carry out collectives together
     */
    public boolean isOf(String name) {
        return network.equalsIgnoreCase(name);
    }

    /**
     * For other ranks.
     *
     * @return big-endian: devices, reductions, then the network's name in UTF-8 with its length before it, an int
     */
    public ByteBuffer encode() {
        byte[] name = network.getBytes(StandardCharsets.UTF_8);
        return ByteBuffer.allocate(2 * Integer.BYTES + Long.BYTES + name.length).putInt(devices).putLong(reductions)
                .putInt(name.length).put(name).flip();
    }

    /**
     * Undoes {@link #encode}.
     *
     * @param in not to be trusted; read up to the end of the name
     * @return the support
     * @throws java.nio.BufferUnderflowException if it is too short
     * @throws IllegalArgumentException          if the name's length makes no sense
     */
    public static CollNetSupport decode(ByteBuffer in) {
        int devices = in.getInt();
        long reductions = in.getLong();
        int length = in.getInt();
        if (length < 0 || length > in.remaining()) {
            throw new IllegalArgumentException("its network's name has " + length + " bytes, of which "
                    + in.remaining() + " came");
        }
        byte[] name = new byte[length];
        in.get(name);
        return new CollNetSupport(new String(name, StandardCharsets.UTF_8), devices, reductions);
    }

    private static long bit(DataType type, RedOp op) {
        return 1L << type.ordinal() * OPS + op.ordinal();
    }
}

/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import io.proxyrt.bootstrap.RankGroup;
import io.proxyrt.core.ProxyException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Has all ranks take a step, and tells each of them what came of it at all: they go on together, or none does. A rank
 * that fails in whatever way says why, so that none waits for it.
 */
final class CommonStep {
    private static final byte TAKEN = 1;

    private final RankGroup group;

    CommonStep(RankGroup group) {
        this.group = group;
    }

    /** A rank could not take the step; all ranks end with this, and the same reason. */
    static final class Refused extends RuntimeException {
        private static final long serialVersionUID = 1;

        Refused(String why) {
            super(why);
        }
    }

    /**
     * Takes it. Blocks until all ranks have.
     *
     * @param timeout for the slowest rank
     * @param step    gives what the others have to know
     * @param reader  of what a rank told, not to be trusted; what it throws is a reason too, the same at all ranks
     * @return what all ranks told
     * @throws Refused        if it failed at one of them, naming that
     * @throws ProxyException the bootstrap's
     */
    <T> List<T> take(Duration timeout, Supplier<ByteBuffer> step, Function<ByteBuffer, T> reader) {
        byte[][] all = group.allGather(taken(step), timeout);
        List<T> told = new ArrayList<>();
        for (int rank = 0; rank < all.length; rank++) {
            told.add(read(rank, ByteBuffer.wrap(all[rank]), reader));
        }
        return told;
    }

    private static byte[] taken(Supplier<ByteBuffer> step) {
        try {
            ByteBuffer told = step.get();
            return ByteBuffer.allocate(1 + told.remaining()).put(TAKEN).put(told).array();
        } catch (RuntimeException e) {
            byte[] why = (e instanceof ProxyException ? e.getMessage() : e.toString()).getBytes(StandardCharsets.UTF_8);
            return ByteBuffer.allocate(1 + why.length).put((byte) 0).put(why).array();
        }
    }

    private static <T> T read(int rank, ByteBuffer told, Function<ByteBuffer, T> reader) {
        if (!told.hasRemaining() || told.get() != TAKEN) {
            throw new Refused("rank " + rank + ": " + StandardCharsets.UTF_8.decode(told));
        }
        try {
            return reader.apply(told);
        } catch (BufferUnderflowException | NegativeArraySizeException | IllegalArgumentException e) {
            throw new Refused("rank " + rank + " told what makes no sense (" + e.getMessage()
                    + "); are all ranks of the same version?");
        }
    }
}

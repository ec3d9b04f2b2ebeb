/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.reduction;

import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.Map;

/**
 * A chunk of elements that operands are combined into, one after the other, block by block: for a reduction of many
 * operands of which the outcome alone is needed. As the elements stay in arrays, a step stages its operand and nothing
 * else.
 *
 * <p>Used by one thread at a time. Keeps memory for each kind of array that its reductions had, at most
 * {@link #MAX_KINDS} times its size; allocates nothing once a reduction was used.
 */
public final class Accumulator {
    /** As many kinds of arrays as all reductions have. */
    public static final int MAX_KINDS = 7;

    private final int bytes;
    private final Map<Reduction, Block[]> blocks = new IdentityHashMap<>();
    private final Map<Kind, Block[]> kinds = new HashMap<>();
    private Reduction reduction;
    private Block[] current;

    private record Block(MemorySegment segment, Object array) {
        static Block of(MemorySegment segment) {
            return new Block(segment, segment.heapBase().orElseThrow());
        }
    }

    private record Kind(Class<?> array, int blockBytes) {
    }

    /**
     * With room for a chunk.
     *
     * @param bytes of the largest chunk
     */
    public Accumulator(int bytes) {
        this.bytes = bytes;
    }

    /**
     * Begins a chunk.
     *
     * @param next how operands are combined, other than {@link io.proxyrt.core.RedOp#AVG}; the caller's
     */
    public void begin(Reduction next) {
        if (next != reduction) {
            reduction = next;
            current = blocks.get(next);
            if (current == null) {
                current = kinds.computeIfAbsent(kind(next), kind -> make(next));
                blocks.put(next, current);
            }
        }
    }

    private static Kind kind(Reduction reduction) {
        return new Kind(Block.of(reduction.newBlock()).array.getClass(), reduction.blockBytes());
    }

    private Block[] make(Reduction next) {
        final Block[] made = new Block[Math.ceilDiv(bytes, next.blockBytes())];
        for (int i = 0; i < made.length; i++) {
            made[i] = Block.of(next.newBlock());
        }
        return made;
    }

    /**
     * The size of a block of the begun chunk: most bytes of a step.
     *
     * @return bytes
     */
    public int blockBytes() {
        return reduction.blockBytes();
    }

    /**
     * Takes the first operand of a block.
     *
     * @param at     where the block begins in the chunk: a multiple of {@link #blockBytes()}
     * @param in     native memory with the operand
     * @param offset where it begins there
     * @param n      bytes, whole elements
     */
    public void set(int at, MemorySegment in, long offset, int n) {
        MemorySegment.copy(in, offset, block(at, n).segment, 0, n);
    }

    /**
     * Combines another operand into a block.
     *
     * @param at     as for {@link #set}
     * @param in     as for {@link #set}
     * @param offset as for {@link #set}
     * @param n      as for {@link #set}
     */
    public void combine(int at, MemorySegment in, long offset, int n) {
        reduction.accumulate(block(at, n).array, in, offset, n);
    }

    /**
     * Copies a block's outcome.
     *
     * @param at     as for {@link #set}
     * @param out    where it goes
     * @param offset where that begins
     * @param n      as for {@link #set}
     */
    public void get(int at, MemorySegment out, long offset, int n) {
        MemorySegment.copy(block(at, n).segment, 0, out, offset, n);
    }

    private Block block(int at, int n) {
        assert at % blockBytes() == 0 && n <= blockBytes() : at + " + " + n;
        return current[at / blockBytes()];
    }
}

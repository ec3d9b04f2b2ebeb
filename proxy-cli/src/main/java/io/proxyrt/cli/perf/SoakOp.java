/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.perf;

import io.proxyrt.core.DataType;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;

/**
 * One operation of a round, the same at all ranks.
 *
 * @param collective what
 * @param type       of the elements
 * @param op         null where nothing is reduced
 * @param peer       the root, or how many ranks on the message goes; -1 where there is neither
 * @param count      elements, as the call is told
 * @param sendOffset bytes from where its memory begins to the input
 * @param recvOffset bytes from where its memory begins to the output; the only one if it is in place
 * @param isInPlace  whether input and output share the memory
 * @param phase      where in the pattern the data begin
 */
record SoakOp(Collective collective, DataType type, PerfOp op, int peer, long count, long sendOffset, long recvOffset,
        boolean isInPlace, long phase) {
    /** So that data begin and end anywhere in a page. */
    static final int MAX_OFFSET_BYTES = 4096;
    private static final int MAX_PHASE = 1 << 20;

    static SoakOp random(RandomGenerator random, int nRanks, long maxBytes) {
        List<Collective> possible = Arrays.stream(Collective.values()).filter(c -> c.isFor(nRanks)).toList();
        Collective collective = possible.get(random.nextInt(possible.size()));
        DataType type = DataType.values()[random.nextInt(DataType.values().length)];
        PerfOp op = collective.isReducing() ? PerfOp.values()[random.nextInt(PerfOp.values().length)] : null;
        int peer = collective.isRooted() ? random.nextInt(nRanks)
                : collective == Collective.SENDRECV ? random.nextInt(1, nRanks) : -1;
        long most = maxBytes / type.sizeBytes() / (collective.isDivided() ? nRanks : 1);
        return new SoakOp(collective, type, op, peer, length(random, Math.max(1, most)),
                random.nextInt(MAX_OFFSET_BYTES), random.nextInt(MAX_OFFSET_BYTES),
                collective.isCheckedInPlace() && random.nextBoolean(), random.nextInt(MAX_PHASE));
    }

    /** The buffers, in elements; without the alignment that nccl-tests gives to the parts of ranks. */
    Shape shape(int rank, int nRanks) {
        return collective.callShape(count, rank, nRanks);
    }

    /** Elements that all ranks together get out: of a root that combines or gathers, its own. */
    long receivedCount(int nRanks) {
        if (collective == Collective.REDUCE || collective == Collective.GATHER) {
            return shape(peer, nRanks).recvCount();
        }
        return IntStream.range(0, nRanks).mapToLong(rank -> shape(rank, nRanks).recvCount()).sum();
    }

    /** For people, with all that it takes to see what may be special about it. */
    @Override
    public String toString() {
        return String.format(Locale.ROOT, "%s %s%s%s, %d elements of %d bytes, %s", collective.label(), type.label(),
                op == null ? "" : " " + op.label(),
                peer < 0 ? "" : collective.isRooted() ? " root " + peer : " to the rank " + peer + " on", count,
                type.sizeBytes(), isInPlace ? "in place at byte " + recvOffset
                        : "from byte " + sendOffset + " to byte " + recvOffset);
    }

    /** Any power of two is as likely as any other; one in four is such a power, or next to one. */
    private static long length(RandomGenerator random, long most) {
        int bits = Long.SIZE - Long.numberOfLeadingZeros(most);
        long power = 1L << random.nextInt(bits);
        long length = random.nextInt(4) == 0 ? power + random.nextInt(-1, 2) : power + random.nextLong(power);
        return Math.clamp(length, 1, most);
    }
}

/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.counters;

import io.proxyrt.core.CollFunction;
import io.proxyrt.core.Direction;
import java.time.Duration;
import java.util.Locale;

/**
 * An op that a progress agent works on, as the mapped file shows it. Codes are as they stand there: a file may be of
 * another age than its reader.
 *
 * @param opCount     the grouping key
 * @param connection  the op runs on
 * @param transport   that carries it
 * @param direction   of the data
 * @param peer        rank at the other end
 * @param channel     of the communicator
 * @param state       of its group: 0 ended, 1 ready, 2 under way
 * @param group       number of its group in the list
 * @param depth       0 if it is advanced; else how many groups are before it on its connection
 * @param coll        code of the {@link io.proxyrt.core.CollFunction}
 * @param protocol    code of the {@link io.proxyrt.core.Protocol}
 * @param dtype       code of the {@link io.proxyrt.core.DataType}
 * @param redOp       code of the reduction
 * @param nbytes      most bytes of a slice
 * @param nsteps      its steps
 * @param base        absolute step at which it starts
 * @param posted      steps offered to the kernel, or to the network
 * @param received    steps that came in
 * @param transmitted steps that went out, or on to the kernel
 * @param done        steps that nothing is left to do for
 * @param age         since it was fetched, until the snapshot
 * @param still       since it last moved, until the snapshot; to a tenth of a second
 */
public record ActiveOp(long opCount, long connection, String transport, Direction direction, int peer, int channel,
        int state, int group, int depth, int coll, int protocol, int dtype, int redOp, long nbytes, int nsteps,
        long base, int posted, int received, int transmitted, int done, Duration age, Duration still) {
    private static final int READY = 1;
    private static final int RUNNING = 2;
    /** Slots of a connection. */
    private static final int STEPS = 8;

    /**
     * Whether it is a message, and no part of a collective.
     *
     * @return by its code
     */
    public boolean isMessage() {
        return coll >= CollFunction.SEND_RECV.ordinal() && coll <= CollFunction.RECV.ordinal();
    }

    /** Whom an op waits for, as far as its own steps tell. */
    public enum Awaited {
        /** The op before it on its connection. */
        OP_BEFORE,
        /** The progress agent, which is about to go on. */
        AGENT,
        /** No one: it is done. */
        NOTHING,
        /** A copy between this rank's memory and the peer's. */
        COPY,
        /** A kernel of this rank. */
        KERNEL,
        /** A kernel of this rank that has to fill a step, or the peer that is to be ready for it. */
        KERNEL_OR_PEER,
        /** The peer, which has to send. */
        PEER,
        /** The network, which has taken a step, and through it the peer, which has to take that. */
        NETWORK,
        /** The flush of what came in. */
        FLUSH
    }

    /**
     * Whom it waits for.
     *
     * @return by its steps
     */
    public Awaited awaited() {
        if (depth > 0) {
            return Awaited.OP_BEFORE;
        }
        if (state != RUNNING) {
            return state == READY ? Awaited.AGENT : Awaited.NOTHING;
        }
        if (done >= nsteps) {
            return Awaited.NOTHING;
        }
        return posted == 0 && received == 0 ? awaitedByCopy()
                : direction == Direction.SEND ? awaitedBySend() : awaitedByReceive();
    }

    /** Transports that copy count two things only. */
    private Awaited awaitedByCopy() {
        return done < transmitted ? Awaited.COPY : direction == Direction.SEND ? Awaited.KERNEL : Awaited.PEER;
    }

    private Awaited awaitedBySend() {
        return done < transmitted ? Awaited.NETWORK
                : transmitted < posted ? Awaited.KERNEL_OR_PEER : Awaited.AGENT;
    }

    private Awaited awaitedByReceive() {
        if (done < transmitted && posted - done >= STEPS && received == posted) {
            return Awaited.KERNEL;
        }
        return received < posted ? Awaited.PEER : transmitted < received ? Awaited.FLUSH
                : done < transmitted ? Awaited.KERNEL : Awaited.AGENT;
    }

    /**
     * The step that it waits for.
     *
     * @return from 0 on
     */
    public int awaitedStep() {
        boolean isCopy = posted == 0 && received == 0;
        return switch (awaited()) {
            case COPY, NETWORK -> done;
            case KERNEL -> direction == Direction.RECV ? done : transmitted;
            case KERNEL_OR_PEER, FLUSH -> transmitted;
            case PEER -> isCopy ? transmitted : received;
            case AGENT -> posted;
            case OP_BEFORE, NOTHING -> 0;
        };
    }

    /**
     * Whom or what it waits for.
     *
     * @return one clause for people
     */
    public String waitsFor() {
        boolean isSend = direction == Direction.SEND;
        boolean isCopy = posted == 0 && received == 0;
        String step = "step " + awaitedStep() + " of " + nsteps;
        return switch (awaited()) {
            case OP_BEFORE -> "waits for the op before it on its connection";
            case NOTHING -> state == RUNNING ? "is done, and its group is not" : "has ended";
            case COPY -> "waits for the copy of " + step;
            case KERNEL -> "waits for a kernel of this rank to " + (isSend ? "fill " : "read ") + step;
            case KERNEL_OR_PEER -> "waits for a kernel of this rank to fill " + step + ", or for rank " + peer
                    + " to be ready for it";
            case PEER -> "waits for rank " + peer + (isCopy ? " to fill " : " to send ") + step;
            case NETWORK -> "waits for the network to bring " + step + " to rank " + peer;
            case FLUSH -> "waits for the flush of " + step;
            case AGENT -> state == READY ? "has not begun" : isSend ? "is about to offer " + step
                    : "waits for the network to take a receive of " + step;
        };
    }

    /** As RCCL's dump has it, and whom it waits for. */
    String line() {
        String head = "[" + group + "|" + opCount + "| " + (isMessage() ? "" : "Coll->")
                + (direction == Direction.SEND ? "Send" : "Recv");
        String steps = state != RUNNING ? "" : isMessage() ? " " + letter()
                : " nb:" + nbytes + " ns:" + nsteps + " p:" + posted + " t:" + transmitted + " r:" + received + " d:"
                        + done;
        return head + steps + " peer:" + peer + " chan:" + channel
                + (state == RUNNING ? "" : "\t" + (state == READY ? "[R]" : state == 0 ? "[]" : "[UNDEFINED]"))
                + "] " + transport + " " + Long.toHexString(connection) + ", " + seconds(age) + " old, still for "
                + seconds(still) + ": " + waitsFor();
    }

    private char letter() {
        if (posted < nsteps && posted < done + STEPS) {
            return 'I';
        }
        if (direction == Direction.SEND) {
            return transmitted < posted ? 'G' : done < transmitted ? 'S' : 'D';
        }
        return received < posted ? 'R' : transmitted < received ? 'F' : done < transmitted ? 'G' : 'D';
    }

    static String seconds(Duration time) {
        return String.format(Locale.ROOT, "%.1f s", time.toMillis() / 1000.0);
    }
}

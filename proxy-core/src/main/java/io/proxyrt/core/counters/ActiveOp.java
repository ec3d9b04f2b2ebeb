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

    /**
     * Whom or what it waits for.
     *
     * @return one clause for people
     */
    public String waitsFor() {
        if (depth > 0) {
            return "waits for the op before it on its connection";
        }
        if (state != RUNNING) {
            return state == READY ? "has not begun" : "has ended";
        }
        if (done >= nsteps) {
            return "is done, and its group is not";
        }
        return posted == 0 && received == 0 ? waitsForCopy()
                : direction == Direction.SEND ? waitsToSend() : waitsToReceive();
    }

    /** Transports that copy count two things only. */
    private String waitsForCopy() {
        if (done < transmitted) {
            return "waits for the copy of " + step(done);
        }
        return direction == Direction.SEND ? "waits for a kernel of this rank to fill " + step(transmitted)
                : "waits for rank " + peer + " to fill " + step(transmitted);
    }

    private String waitsToSend() {
        if (done < transmitted) {
            return "waits for the network to bring " + step(done) + " to rank " + peer;
        }
        return transmitted < posted ? "waits for a kernel of this rank to fill " + step(transmitted) + ", or for rank "
                + peer + " to be ready for it" : "is about to offer " + step(posted);
    }

    private String waitsToReceive() {
        if (done < transmitted && posted - done >= STEPS && received == posted) {
            return "waits for a kernel of this rank to read " + step(done);
        }
        if (received < posted) {
            return "waits for rank " + peer + " to send " + step(received);
        }
        if (transmitted < received) {
            return "waits for the flush of " + step(transmitted);
        }
        return done < transmitted ? "waits for a kernel of this rank to read " + step(done)
                : "waits for the network to take a receive of " + step(posted);
    }

    private String step(int number) {
        return "step " + number + " of " + nsteps;
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

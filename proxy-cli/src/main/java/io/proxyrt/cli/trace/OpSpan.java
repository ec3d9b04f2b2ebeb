/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.trace;

import io.proxyrt.core.Direction;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * An op, from when it was advanced to its end. Times are nanoseconds since the epoch.
 *
 * @param opCount    of it; odd for a message
 * @param connection its id
 * @param channel    of the communicator
 * @param peer       rank at the other end
 * @param way        of its connection
 * @param startNs    when it was advanced first; if that is not known, the beginning of all that is known
 * @param endNs      when it ended, or until when it is known not to have
 * @param waitedNs   how long it had waited for the op before it on its connection
 * @param isCut      whether its beginning is not known
 * @param state      of it
 * @param bytes      that it moved, as far as its transport tells; empty if it has not ended well
 * @param place      among all ops of its connection, from 0 on, as far as that can be told
 */
public record OpSpan(long opCount, long connection, int channel, int peer, Way way, long startNs, long endNs,
        long waitedNs, boolean isCut, State state, OptionalLong bytes, OptionalLong place) {
    /** How it fares. */
    public enum State {
        /** It ended well. */
        DONE,
        /** It ended with an error. */
        FAILED,
        /** It had not ended yet. */
        ACTIVE,
        /** It waited for the op before it on its connection. */
        QUEUED
    }

    /**
     * How a connection carries data.
     *
     * @param direction of them; empty if that is not known
     * @param transport of it; empty if that is not known
     */
    public record Way(Optional<Direction> direction, String transport) {
        static final Way UNKNOWN = new Way(Optional.empty(), "");

        /**
         * For people.
         *
         * @return one word
         */
        public String verb() {
            return direction.map(known -> known == Direction.SEND ? "send" : "receive").orElse("unknown");
        }
    }

    /**
     * Whether it is a message, and no part of a collective.
     *
     * @return by its number
     */
    public boolean isMessage() {
        return (opCount & 1) != 0;
    }

    OpSpan shifted(long byNs) {
        return new OpSpan(opCount, connection, channel, peer, way, Nanos.plus(startNs, byNs), Nanos.plus(endNs, byNs),
                waitedNs, isCut, state, bytes, place);
    }
}

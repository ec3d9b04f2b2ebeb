/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.dump;

import io.proxyrt.core.counters.Event;
import io.proxyrt.core.counters.EventType;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * The last events of runtimes. Its components are the fields of the JSON document.
 *
 * @param time     of the look
 * @param runtimes by rank
 */
record BlackBoxView(Instant time, List<Entry> runtimes) {
    /**
     * A runtime.
     *
     * @param runtime which, and whether it lives
     * @param events  by time
     */
    record Entry(RuntimeState runtime, List<Row> events) {
    }

    /**
     * An event; what its type has not is left out.
     *
     * @param time       when
     * @param thread     whose
     * @param number     of its place among the thread's; equal calls may share one
     * @param event      what happened
     * @param opCount    of the op or the call
     * @param connection its id, in hexadecimal digits
     * @param channel    of the communicator
     * @param peer       rank at the other end
     * @param value      of the type
     * @param detail     for people
     */
    record Row(Instant time, String thread, long number, String event, Optional<Long> opCount,
            Optional<String> connection, Optional<Integer> channel, Optional<Integer> peer, Optional<Long> value,
            String detail) {
        static Row of(Event event) {
            boolean isOfCall = event.type() == EventType.CALLED;
            boolean isOfConnection = event.connection() != 0 && !isOfCall;
            boolean isOfOp = isOfConnection && event.type() != EventType.CONNECTED && event.type() != EventType.CLOSED;
            return new Row(event.time(), event.thread(), event.number(), event.type().label(),
                    Optional.of(event.opCount()).filter(count -> isOfOp || isOfCall && count > 0),
                    Optional.of(Long.toHexString(event.connection())).filter(any -> isOfConnection),
                    Optional.of(event.channel()).filter(any -> isOfOp),
                    Optional.of(event.peer()).filter(peer -> peer >= 0),
                    Optional.of(event.value()).filter(any -> isOfOp || isOfCall), EventText.tell(event));
        }

        String line() {
            return event + opCount.map(count -> (connection.isPresent() ? " op " : " #") + count).orElse("")
                    + peer.map(rank -> " peer " + rank).orElse("")
                    + channel.map(number -> " channel " + number).orElse("")
                    + connection.map(id -> " connection " + id).orElse("") + (detail.isEmpty() ? "" : ": " + detail);
        }
    }
}

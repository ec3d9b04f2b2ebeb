/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.diagnosis;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * What one communicator of a rank was asked for last.
 *
 * @param communicator the same text at all its ranks; empty for the one of the whole job
 * @param calls        the last ones, from the oldest to the youngest
 * @param finished     number of the last collective that its caller knows to have ended
 * @param isIdle       whether its caller knows that all has ended, messages too
 * @param waits        for how long its caller has waited without anything moving; 0 if it does not
 */
public record CommunicatorCalls(String communicator, List<Call> calls, long finished, boolean isIdle,
        Duration waits) {
    /** Copies. */
    public CommunicatorCalls {
        calls = List.copyOf(calls);
    }

    /**
     * A call.
     *
     * @param number among the communicator's collectives; 0 for a message
     * @param word   what it is, as {@link CallWords} knows
     * @param bytes  of it
     * @param peer   of a message, or -1
     * @param time   when, or when one shortly before it was
     */
    public record Call(long number, long word, long bytes, int peer, Instant time) {
    }

    /**
     * The last collective.
     *
     * @return empty if there was none
     */
    public Optional<Call> last() {
        return calls.reversed().stream().filter(call -> call.number() > 0).findFirst();
    }

    /**
     * The last call, be it a message.
     *
     * @return empty if there was none
     */
    public Optional<Call> lastOfAny() {
        return calls.isEmpty() ? Optional.empty() : Optional.of(calls.getLast());
    }

    /**
     * The number of the last collective.
     *
     * @return 0 if there was none
     */
    public long lastNumber() {
        return last().map(Call::number).orElse(0L);
    }

    /**
     * One of the last collectives.
     *
     * @param number of it
     * @return empty if it is not known any more, or not called yet
     */
    public Optional<Call> collective(long number) {
        return calls.stream().filter(call -> call.number() == number && number > 0).findFirst();
    }
}

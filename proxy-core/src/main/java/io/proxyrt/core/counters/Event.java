/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.counters;

import java.time.Instant;

/**
 * One of the last things that a thread did, as the mapped file has it. What a type leaves out is 0, or -1 for a peer.
 *
 * @param thread     which
 * @param number     of its place among the thread's, from 0 on; equal calls may share one
 * @param time       when; of the progress thread as it last looked at the clock, which is every 64 passes
 * @param type       what happened
 * @param detail     of the type
 * @param opCount    of the op or the call
 * @param connection its id
 * @param channel    of the communicator
 * @param peer       rank at the other end
 * @param value      of the type
 */
public record Event(String thread, long number, Instant time, EventType type, int detail, long opCount,
        long connection, int channel, int peer, long value) {
}

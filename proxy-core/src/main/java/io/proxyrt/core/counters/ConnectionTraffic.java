/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.counters;

import io.proxyrt.core.Direction;
import java.time.Instant;

/**
 * What a connection has carried in ops that have ended.
 *
 * @param transport  that carries it
 * @param connection its id
 * @param peer       rank at the other end
 * @param direction  of the data
 * @param ops        that have ended
 * @param bytes      that they moved, as far as the transport tells
 * @param steps      of them
 * @param ended      when the last one ended; null if none has
 */
public record ConnectionTraffic(String transport, long connection, int peer, Direction direction, long ops, long bytes,
        long steps, Instant ended) {
}

/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.tuner;

import io.proxyrt.core.Protocol;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * How a collective may go.
 *
 * @param algorithm which
 * @param protocol  of all its connections
 */
public record Way(NcclAlgorithm algorithm, Protocol protocol) {
    private static final int PROTOCOLS = Protocol.values().length;
    private static final List<Way> ALL = Arrays.stream(NcclAlgorithm.values())
            .flatMap(algorithm -> Arrays.stream(Protocol.values()).map(protocol -> new Way(algorithm, protocol)))
            .toList();

    /**
     * All there are, possible or not.
     *
     * @return in the order of NCCL's numbers, the algorithm's first
     */
    public static List<Way> all() {
        return ALL;
    }

    /**
     * Its place among all.
     *
     * @return of {@link #all()}, from 0
     */
    public int index() {
        return algorithm.ordinal() * PROTOCOLS + protocol.ordinal();
    }

    @Override
    public String toString() {
        return algorithm.label() + "/" + protocol.name().toLowerCase(Locale.ROOT);
    }
}

/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.testkit.collnet;

import io.proxyrt.transport.collnet.spi.CollNetPlugin;
import java.lang.foreign.Arena;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** Three networks, as three heads have them, and a group of them. */
abstract class CollNetConformance {
    static final int RANKS = 3;
    static final int MAX_BYTES = 1 << 20;

    Arena arena;
    List<CollNetPlugin> nets;
    CollNetGroup group;

    /**
     * A network with at least one device, of which the first reaches those of the others.
     *
     * @param rank of the runtime that it is for
     * @return closed by the test
     */
    protected abstract CollNetPlugin open(int rank);

    @BeforeEach
    void connect() {
        arena = Arena.ofShared();
        nets = IntStream.range(0, RANKS).mapToObj(this::open).toList();
        group = group(MAX_BYTES);
    }

    @AfterEach
    void disconnect() {
        group.close();
        nets.forEach(CollNetPlugin::close);
        arena.close();
    }

    /** Another group, with so much memory. */
    final CollNetGroup group(long bytes) {
        return CollNetGroup.connect(nets, arena, bytes);
    }

    final CollNetPlugin net() {
        return nets.getFirst();
    }
}

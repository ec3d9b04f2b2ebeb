/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.collnet.external;

import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.transport.collnet.spi.CollNetComm;
import io.proxyrt.transport.collnet.spi.CollNetConnectComm;
import io.proxyrt.transport.collnet.spi.CollNetListenComm;
import io.proxyrt.transport.collnet.spi.CollNetMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

/** Comms of one plug-in that are connected with each other, each with memory. */
final class Participants implements AutoCloseable {
    static final int BYTES = 1 << 12;

    final List<CollNetComm> comms = new ArrayList<>();
    final List<CollNetMemory> memories = new ArrayList<>();
    private final Arena arena = Arena.ofShared();
    private final ExternalCollNet net;

    Participants(FakeCollNetLibrary library, int nRanks) {
        net = ExternalCollNet.open(library, CoreOptions.NET_PLUGIN);
        List<CollNetListenComm> listens = Stream.generate(() -> net.listen(0)).limit(nRanks).toList();
        comms.addAll(untilThere(attempts(net, listens)));
        comms.forEach(comm -> memories.add(comm.regMr(library.expose(arena.allocate(BYTES, 8)))));
        listens.forEach(CollNetListenComm::close);
    }

    static List<CollNetConnectComm> attempts(ExternalCollNet net, List<CollNetListenComm> listens) {
        List<ByteBuffer> handles = listens.stream().map(CollNetListenComm::handle).toList();
        List<CollNetConnectComm> attempts = new ArrayList<>();
        for (int rank = 0; rank < listens.size(); rank++) {
            attempts.add(net.connect(0, handles, rank, listens.get(rank)));
        }
        return attempts;
    }

    static CollNetComm untilThere(CollNetConnectComm attempt) {
        return untilThere(List.of(attempt)).getFirst();
    }

    /** Asks all until none answers null: a busy machine may take its time. */
    static List<CollNetComm> untilThere(List<CollNetConnectComm> attempts) {
        CollNetComm[] answers = new CollNetComm[attempts.size()];
        while (Stream.of(answers).anyMatch(Objects::isNull)) {
            for (int i = 0; i < answers.length; i++) {
                answers[i] = answers[i] == null ? attempts.get(i).connect() : answers[i];
            }
        }
        return List.of(answers);
    }

    MemorySegment memory(int rank) {
        return memories.get(rank).segment();
    }

    /** Closes the comms, and then the plug-in. */
    @Override
    public void close() {
        comms.forEach(CollNetComm::close);
        net.close();
        arena.close();
    }
}

/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.stress;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.bootstrap.BootstrapRoot;
import io.proxyrt.testkit.ChildJvm;
import io.proxyrt.testkit.Extent;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Two processes over one shared memory segment for each direction, by every protocol, and with copies by their proxies
 * between segments of their own: briefly or, with {@code -Dtests=long}, for an hour. Tail before the data, head before
 * they were read, or lines that the receiver does not look at are found in a second; what goes wrong less often is for
 * {@link io.proxyrt.core.device.SlotLapStress}.
 */
@Tag(Extent.ONLY_FULL)
class ShmTortureTest {
    private static final List<String> WAYS =
            List.of("coll.protocol=simple", "coll.protocol=ll", "coll.protocol=ll128", "coll.register.bytes=1");
    /** The proxies copy, by themselves or by streams; P2P's connections share a lane of copies. */
    private static final List<List<String>> COPIES = List.of(
            List.of("coll.transport=SHM", "shm.use.memcpy=1"),
            List.of("coll.transport=SHM", "shm.use.memcpy=1", "shm.cpu.copy.bytes=0"),
            List.of("coll.transport=P2P", "p2p.host=1", "p2p.use.memcpy=1", "p2p.memcpy.buffer.bytes=65536",
                    "coll.channels=2"),
            List.of("coll.transport=P2P", "p2p.host=1", "p2p.use.memcpy=1", "p2p.memcpy.buffer.bytes=65536",
                    "coll.channels=2", "p2p.cpu.copy.bytes=0"));
    private static final List<String> PLACES = List.of("shm.locality=2", "shm.locality=1");
    private static final List<String> THREADS = List.of("threading=invoker", "threading=dedicated");

    private final boolean isLong = Extent.asked() == Extent.LONG;

    @Test
    void shouldDeliverEveryByteWhateverTheOrder() throws IOException {
        List<List<String>> runs = runs();
        Duration each = isLong ? Duration.ofHours(1).dividedBy(runs.size()) : Duration.ofMillis(250);
        long seed = isLong ? System.nanoTime() : 1;
        System.out.println("torture: seed " + seed);
        try (ChildJvm other = new ChildJvm(List.of(), TortureRank.class)) {
            for (List<String> options : runs) {
                long bytes = run(other, seed, each, options);
                System.out.println("torture: " + options + ": " + bytes + " bytes came as they were sent");
                assertTrue(bytes > 0, options.toString());
            }
        }
    }

    /** Briefly: each way once. */
    private List<List<String>> runs() {
        List<List<String>> runs = new ArrayList<>();
        for (String threads : isLong ? THREADS : THREADS.subList(0, 1)) {
            for (String place : isLong ? PLACES : PLACES.subList(0, 1)) {
                WAYS.forEach(way -> runs.add(List.of("coll.transport=SHM", way, place, threads)));
            }
            COPIES.forEach(way -> runs.add(Stream.concat(way.stream(), Stream.of(threads)).toList()));
        }
        return runs;
    }

    private static long run(ChildJvm other, long seed, Duration duration, List<String> options) throws IOException {
        InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        try (BootstrapRoot root = BootstrapRoot.open(address, 2)) {
            other.tell(root.id() + " " + seed + " " + duration + " " + String.join(" ", options));
            try (Torture torture = Torture.join(root.id(), 0, options)) {
                long bytes = torture.run(seed, duration);
                assertTrue(Long.parseLong(other.line()) > 0, options.toString());
                return bytes;
            }
        }
    }
}

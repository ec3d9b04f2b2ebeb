/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.testkit.collnet;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.transport.collnet.spi.CollNetComm;
import io.proxyrt.transport.collnet.spi.CollNetConnectComm;
import io.proxyrt.transport.collnet.spi.CollNetListenComm;
import io.proxyrt.transport.collnet.spi.CollNetPlugin;
import io.proxyrt.transport.collnet.spi.CollNetPluginProvider;
import io.proxyrt.transport.collnet.spi.CollNetProperties;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.ServiceLoader;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * What every network that carries out collectives must do: the contract of {@link io.proxyrt.transport.collnet.spi} as
 * tests. A subclass opens the network in one configuration; JUnit does the rest:
 *
 * <pre>{@code
 * class SharpTest extends CollNetPluginConformance {
 *     protected CollNetPlugin open(int rank) {
 *         return network("SHARP", Map.of(), rank);
 *     }
 * }
 * }</pre>
 *
 * <p>One thread plays all participants, so a call that blocks shows as a test that does not end.
 */
public abstract class CollNetPluginConformance extends CollNetFailureConformance {
    private static final int CALLS = 500;
    private static final int ROUNDS = 50;
    private static final String ONE_IS_MISSING = "a participant has not come yet, so connect has nothing to return";

    private final long[] posted = new long[RANKS];

    /** For subclasses. */
    protected CollNetPluginConformance() {
    }

    /**
     * Makes a network that is installed.
     *
     * @param name    what its provider says; case does not matter
     * @param options of the runtime, without the prefix {@code proxyrt.}; the environment's are left out
     * @param rank    of the runtime
     * @return owned by the caller
     */
    protected static CollNetPlugin network(String name, Map<String, String> options, int rank) {
        ProxyConfig.Builder config = ProxyConfig.builder().environment(Map.of());
        options.forEach(config::set);
        CollNetPluginProvider provider = ServiceLoader.load(CollNetPluginProvider.class).stream()
                .map(ServiceLoader.Provider::get).filter(p -> p.name().equalsIgnoreCase(name)).findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no network " + name + " is installed"));
        return provider.create(config.build(), rank);
    }

    @Test
    void shouldDescribeItsDevices() {
        Set<Long> guids = new HashSet<>();
        assertFalse(net().name().isBlank(), "the network has no name");
        assertFalse(net().explain().isEmpty(), "explain() has a line for each device");
        for (int dev = 0; dev < net().devices(); dev++) {
            CollNetProperties properties = net().properties(dev);
            assertTrue(net().describe().contains(properties.name()),
                    "describe() has to name device " + properties.name() + ", and was: " + net().describe());
            assertTrue(properties.speedMbps() > 0 && properties.maxComms() > 0 && properties.maxCollBytes() > 0,
                    "all figures have to be above 0: " + properties);
            assertTrue(guids.add(properties.guid()), "two devices have the guid " + properties.guid());
            assertEquals(properties, net().properties(dev), "properties do not change");
        }
    }

    @Test
    void shouldRefuseDevicesThatAreNotThere() {
        try (CollNetListenComm listen = net().listen(0)) {
            List<ByteBuffer> handles = List.of(listen.handle());
            for (int dev : new int[] {-1, net().devices(), Integer.MIN_VALUE, Integer.MAX_VALUE}) {
                assertInvalid(() -> net().listen(dev));
                assertInvalid(() -> net().properties(dev));
                assertInvalid(() -> net().connect(dev, handles, 0, listen));
            }
        }
    }

    @Test
    void shouldLeaveTheHandlesAsTheyAre() {
        CollNetListenComm[] listens = listens();
        ByteBuffer handle = listens[0].handle();
        byte[] before = bytes(handle.duplicate());
        ByteBuffer within = ByteBuffer.allocateDirect(before.length + 20).position(10).put(before).flip().position(10);
        nets.get(0).connect(0, List.of(within, listens[1].handle(), listens[2].handle()), 0, listens[0]).close();

        assertEquals(10, within.position(), "connect moved the handle that it was given");
        assertArrayEquals(before, bytes(within), "connect changed the handle that it was given");
        assertArrayEquals(before, bytes(listens[0].handle()), "each call of handle() gives the same bytes");
        assertTrue(before.length > 0 && before.length <= CollNetPlugin.HANDLE_BYTES,
                "a handle has 1 to " + CollNetPlugin.HANDLE_BYTES + " bytes, and this one " + before.length);
        CollNetGroup.closeAll(listens);
    }

    @Test
    void shouldRefuseHandlesThatAreNoneOfItsOwn() {
        try (CollNetListenComm listen = net().listen(0)) {
            byte[] good = bytes(listen.handle());
            for (int length = 0; length < good.length; length++) {
                assertInvalidHandle(listen, Arrays.copyOf(good, length));
            }
            Random random = new Random(17);
            for (int i = 0; i < 1000; i++) {
                byte[] junk = new byte[random.nextInt(2 * CollNetPlugin.HANDLE_BYTES)];
                random.nextBytes(junk);
                assertInvalidHandle(listen, junk);
            }
            assertInvalidHandle(listen, new byte[CollNetPlugin.HANDLE_BYTES]);
        }
    }

    @Test
    void shouldNotConnectBeforeAllParticipantsAreThere() {
        CollNetListenComm[] listens = listens();
        List<ByteBuffer> handles = CollNetGroup.handles(listens);
        CollNetConnectComm[] attempts = new CollNetConnectComm[RANKS];
        CollNetComm[] comms = new CollNetComm[RANKS];
        for (int rank = 0; rank < RANKS - 1; rank++) {
            attempts[rank] = nets.get(rank).connect(0, handles, rank, listens[rank]);
        }
        for (int i = 0; i < 200; i++) {
            assertNull(attempts[0].connect(), ONE_IS_MISSING);
            assertNull(attempts[1].connect(), ONE_IS_MISSING);
        }
        attempts[RANKS - 1] = nets.get(RANKS - 1).connect(0, handles, RANKS - 1, listens[RANKS - 1]);
        CollNetGroup.meet(attempts, comms);
        CollNetGroup.closeAll(attempts);
        CollNetGroup.closeAll(listens);
        CollNetGroup.closeAll(comms);
    }

    @Test
    void shouldConnectParticipantsThatComeInAnyOrder() {
        CollNetListenComm[] listens = listens();
        List<ByteBuffer> handles = CollNetGroup.handles(listens);
        CollNetConnectComm[] attempts = new CollNetConnectComm[RANKS];
        CollNetComm[] comms = new CollNetComm[RANKS];
        for (int rank = RANKS - 1; rank >= 0; rank--) {
            attempts[rank] = nets.get(rank).connect(0, handles, rank, listens[rank]);
            for (int i = 0; i < 20 && rank > 0; i++) {
                assertNull(attempts[rank].connect(), ONE_IS_MISSING);
            }
        }
        CollNetGroup.meet(attempts, comms);
        CollNetGroup.closeAll(attempts);
        CollNetGroup.closeAll(listens);
        CollNetGroup.closeAll(comms);
    }

    @Test
    void shouldCloseWhatIsHalfConnected() {
        CollNetListenComm[] listens = listens();
        List<ByteBuffer> handles = CollNetGroup.handles(listens);
        List<CollNetConnectComm> attempts = new ArrayList<>();
        for (int rank = 0; rank < RANKS - 1; rank++) {
            attempts.add(nets.get(rank).connect(0, handles, rank, listens[rank]));
            assertNull(attempts.getLast().connect(), ONE_IS_MISSING);
        }
        for (CollNetConnectComm attempt : attempts) {
            attempt.close();
            attempt.close();
        }
        for (CollNetListenComm listen : listens) {
            listen.close();
            listen.close();
        }
        group.run(rank -> allReduce(rank, 0, 0, 100));
    }

    @Test
    void shouldNameWhatCarriesTheCollectivesOut() {
        for (CollNetComm comm : group.comms) {
            assertFalse(comm.network().isBlank(), "network() has to name what carries the collectives out");
            assertEquals("", comm.failure(), "no call failed");
        }
    }

    @Test
    void shouldAllocateNothingInSteadyState() {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long least = Long.MAX_VALUE;
        // The JVM now and then allocates on a thread's account; what calls take, they take in every round.
        for (int round = 0; round < ROUNDS && least > 0; round++) {
            long before = threads.getCurrentThreadAllocatedBytes();
            for (int i = 0; i < CALLS; i++) {
                exchange(i % 10 == 0 ? 10_000 : 10);
            }
            least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
        }
        assertEquals(0, least, "bytes were allocated in each round of " + CALLS + " calls");
    }

    private void exchange(int count) {
        for (int rank = 0; rank < RANKS; rank++) {
            posted[rank] = group.checked(rank, allReduce(rank, 0, 0, count));
        }
        for (int left = RANKS; left > 0;) {
            for (int rank = 0; rank < RANKS; rank++) {
                if (posted[rank] > 0 && group.checked(rank, group.comms[rank].test(posted[rank])) == 1) {
                    posted[rank] = 0;
                    left--;
                }
            }
            CollNetGroup.turn();
        }
    }

    private CollNetListenComm[] listens() {
        CollNetListenComm[] listens = new CollNetListenComm[RANKS];
        for (int rank = 0; rank < RANKS; rank++) {
            listens[rank] = nets.get(rank).listen(0);
        }
        return listens;
    }

    /** As that of another participant, of which more is known than of the own. */
    private void assertInvalidHandle(CollNetListenComm own, byte[] handle) {
        assertInvalid(() -> net().connect(0, List.of(own.handle(), ByteBuffer.wrap(handle)), 0, own));
    }

    private static void assertInvalid(Runnable call) {
        ProxyException failure = assertThrows(ProxyException.class, call::run,
                "a device that is not there, or a handle of another network, has to be refused");
        assertEquals(ProxyResult.INVALID_ARGUMENT, failure.result(), failure.getMessage());
    }

    private static byte[] bytes(ByteBuffer buffer) {
        byte[] bytes = new byte[buffer.remaining()];
        buffer.get(buffer.position(), bytes);
        return bytes;
    }
}

/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.testkit.net;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.transport.net.NetProviders;
import io.proxyrt.transport.net.spi.NetConnectComm;
import io.proxyrt.transport.net.spi.NetListenComm;
import io.proxyrt.transport.net.spi.NetPlugin;
import io.proxyrt.transport.net.spi.NetPluginProvider;
import io.proxyrt.transport.net.spi.NetProperties;
import io.proxyrt.transport.net.spi.NetRecvComm;
import io.proxyrt.transport.net.spi.NetSendComm;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Map;
import java.util.Random;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * What every network must do: the contract of {@link io.proxyrt.transport.net.spi} as tests, after RCCL's own of its
 * socket and InfiniBand networks. A subclass opens the network in one configuration; JUnit does the rest:
 *
 * <pre>{@code
 * class VerbsTest extends NetPluginConformance {
 *     protected NetPlugin open(int rank) {
 *         return network("IB", Map.of("net.ib.hca", "mlx5_0"), rank);
 *     }
 * }
 * }</pre>
 *
 * <p>One thread plays both ends, so a call that blocks shows as a test that does not end. The connection goes from the
 * network of rank 0 to that of rank 1, which may be the same object. Connecting must be given up within a minute when
 * no process listens, so a network that repeats it is to be opened with few repetitions.
 */
public abstract class NetPluginConformance extends NetMemoryConformance {
    /** For subclasses. */
    protected NetPluginConformance() {
    }

    /**
     * Makes a network that is installed.
     *
     * @param name    what its provider says; case does not matter
     * @param options of the runtime, without the prefix {@code proxyrt.}; the environment's are left out
     * @param rank    of the runtime
     * @return owned by the caller
     */
    protected static NetPlugin network(String name, Map<String, String> options, int rank) {
        ProxyConfig.Builder config = ProxyConfig.builder().environment(Map.of());
        options.forEach(config::set);
        NetPluginProvider provider = ServiceLoader.load(NetPluginProvider.class).stream()
                .map(ServiceLoader.Provider::get).filter(p -> p.name().equalsIgnoreCase(name)).findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no network " + name + " is installed"));
        return provider.create(config.build(), rank);
    }

    /**
     * Makes the network of a plug-in that is written for NCCL or RCCL.
     *
     * @param library of the plug-in
     * @param rank    of the runtime
     * @return owned by the caller
     * @throws io.proxyrt.core.ProxyException if it cannot be loaded, or does not work
     */
    protected static NetPlugin plugIn(Path library, int rank) {
        ProxyConfig config = ProxyConfig.builder().environment(Map.of()).set(CoreOptions.NET_PLUGIN, library.toString())
                .build();
        return NetProviders.of(config).getFirst().create(config, rank);
    }

    @Test
    void shouldDescribeItsDevices() {
        Set<Long> guids = new HashSet<>();
        assertFalse(sender.name().isBlank(), "the network has no name");
        for (int dev = 0; dev < sender.devices(); dev++) {
            NetProperties properties = sender.properties(dev);
            assertTrue(sender.describe().contains(properties.name()),
                    "describe() has to name device " + properties.name() + ", and was: " + sender.describe());
            assertTrue(properties.speedMbps() > 0 && properties.maxComms() > 0 && properties.maxRecvs() > 0
                    && properties.maxP2pBytes() > 0, "all figures have to be above 0: " + properties);
            assertTrue(guids.add(properties.guid()), "two devices have the guid " + properties.guid());
            assertEquals(properties, sender.properties(dev), "properties do not change");
        }
    }

    @Test
    void shouldRefuseDevicesThatAreNotThere() {
        for (int dev : new int[] {-1, sender.devices(), sender.devices() + 1, Integer.MIN_VALUE, Integer.MAX_VALUE}) {
            assertInvalid(() -> sender.listen(dev));
            assertInvalid(() -> sender.properties(dev));
            assertInvalid(() -> sender.connect(dev, ByteBuffer.allocate(NetPlugin.HANDLE_BYTES)));
        }
    }

    @Test
    void shouldLeaveTheHandleAsItIs() {
        try (NetListenComm listen = receiver.listen(0)) {
            ByteBuffer handle = listen.handle();
            byte[] before = bytes(handle.duplicate());
            sender.connect(0, handle).close();

            assertArrayEquals(before, bytes(handle), "connect moved or changed the handle that it was given");
            assertArrayEquals(before, bytes(listen.handle()), "each call of handle() gives the same bytes");
            assertTrue(before.length > 0 && before.length <= NetPlugin.HANDLE_BYTES,
                    "a handle has 1 to " + NetPlugin.HANDLE_BYTES + " bytes, and this one " + before.length);
        }
    }

    @Test
    void shouldRefuseHandlesThatAreNoneOfItsOwn() {
        try (NetListenComm listen = receiver.listen(0)) {
            byte[] good = bytes(listen.handle());
            for (int length = 0; length < good.length; length++) {
                ByteBuffer part = ByteBuffer.wrap(good, 0, length);
                assertInvalid(() -> sender.connect(0, part));
            }
            Random random = new Random(17);
            for (int i = 0; i < 1000; i++) {
                byte[] junk = new byte[random.nextInt(2 * NetPlugin.HANDLE_BYTES)];
                random.nextBytes(junk);
                assertForeign(good, junk);
            }
            assertForeign(good, new byte[NetPlugin.HANDLE_BYTES]);
        }
    }

    @Test
    void shouldReadAHandleFromItsPositionToItsLimit() {
        try (NetListenComm listen = receiver.listen(0)) {
            byte[] good = bytes(listen.handle());
            ByteBuffer within = ByteBuffer.allocateDirect(good.length + 20).position(10).put(good).flip().position(10);
            NetConnectComm connect = sender.connect(0, within);
            assertEquals(10, within.position());
            meet(connect, listen);
        }
    }

    @Test
    void shouldAcceptNothingAsLongAsNoPeerConnects() {
        try (NetListenComm listen = receiver.listen(0)) {
            for (int i = 0; i < 100; i++) {
                assertNull(listen.accept(), "no peer connects, so accept has nothing to return");
            }
        }
    }

    @Test
    void shouldNeverBlockAConnectorThatIsNotAccepted() {
        try (NetListenComm listen = receiver.listen(0); NetConnectComm connect = sender.connect(0, listen.handle())) {
            NetSendComm early = null;
            for (int i = 0; i < 1000 && early == null; i++) {
                early = connect.connect();
            }
            NetPair.close(early);
        }
    }

    @Test
    void shouldBringEachConnectorToItsOwnListener() {
        NetListenComm[] listens = IntStream.range(0, 4).mapToObj(i -> receiver.listen(0)).toArray(NetListenComm[]::new);
        assertEquals(4, IntStream.range(0, 4).mapToObj(i -> ByteBuffer.wrap(bytes(listens[i].handle()))).distinct()
                .count(), "each listener has a handle of its own");
        for (int i = 3; i >= 0; i--) {
            meet(sender.connect(0, listens[i].handle()), listens[i]);
        }
        for (NetListenComm listen : listens) {
            assertNull(listen.accept(), "its one connector has been accepted already");
            listen.close();
            listen.close();
        }
    }

    @Test
    void shouldTestTheRequestsOfManyConnectionsAtOnce() {
        int bytes = 100_000;
        NetPair[] pairs = IntStream.range(0, 12).mapToObj(i -> pair(bytes)).toArray(NetPair[]::new);
        NetBatch receives = new NetBatch(receiver, pairs.length);
        NetBatch sends = new NetBatch(sender, pairs.length);
        for (NetPair each : pairs) {
            receives.add(each.recv, each.irecv(0, bytes));
            sends.add(each.send, each.isend(0, bytes));
        }
        while (!receives.isEmpty() || !sends.isEmpty()) {
            sender.poll();
            sends.test();
            receiver.poll();
            receives.test();
            NetPair.turn();
        }
        for (NetPair each : pairs) {
            each.assertSame(0, 0, bytes);
            each.close();
        }
    }

    @Test
    void shouldGiveUpOnAPeerThatDoesNotListen() {
        assumeFalse(mayDo(NetLeeway.UNNOTICED_LOSS), "the network does not notice that a peer is gone");
        ByteBuffer handle;
        try (NetListenComm listen = receiver.listen(0)) {
            handle = listen.handle();
        }
        ProxyException failure = assertThrows(ProxyException.class, () -> {
            try (NetConnectComm connect = sender.connect(0, handle)) {
                for (NetSendComm comm = connect.connect(); comm == null; comm = connect.connect()) {
                    NetPair.turn();
                }
            }
        });
        assertTrue(mayDo(NetLeeway.VAGUE_FAILURES) || failure.result() == ProxyResult.REMOTE_ERROR,
                "the listener is closed, so connect has to fail with REMOTE_ERROR, and failed with " + failure.result()
                        + ": " + failure.getMessage());
        assertNames(1, failure.getMessage());
    }

    @Test
    void shouldCloseWhatIsHalfConnected() {
        NetListenComm listen = receiver.listen(0);
        NetConnectComm connect = sender.connect(0, listen.handle());
        NetPair.close(connect.connect());
        NetPair.close(listen.accept());
        connect.close();
        connect.close();
        NetPair.close(listen.accept());
        listen.close();
        pair.exchange(0, 0, 100);
    }

    @Test
    void shouldCloseMoreThanOnce() {
        pair.send.close();
        pair.recv.close();
        sender.close();
        sender.close();
    }

    private static void meet(NetConnectComm connect, NetListenComm listen) {
        NetSendComm send = null;
        NetRecvComm recv = null;
        while (send == null || recv == null) {
            send = send == null ? connect.connect() : send;
            recv = recv == null ? listen.accept() : recv;
            NetPair.turn();
        }
        connect.close();
        send.close();
        recv.close();
    }

    private void assertForeign(byte[] good, byte[] handle) {
        if (handle.length != good.length || !mayDo(NetLeeway.FOREIGN_HANDLES)) {
            assertInvalid(() -> sender.connect(0, ByteBuffer.wrap(handle)));
        }
    }

    private static void assertInvalid(Runnable call) {
        ProxyException failure = assertThrows(ProxyException.class, call::run,
                "a device that is not there, or a handle of another network, has to be refused");
        assertEquals(ProxyResult.INVALID_ARGUMENT, failure.result(), failure.getMessage());
    }

    private static byte[] bytes(ByteBuffer buffer) {
        byte[] bytes = new byte[buffer.remaining()];
        buffer.get(bytes);
        return bytes;
    }
}

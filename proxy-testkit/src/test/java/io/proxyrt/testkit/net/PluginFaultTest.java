/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.testkit.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.testkit.Holdings;
import io.proxyrt.testkit.plugin.NetFault;
import io.proxyrt.testkit.plugin.TcpNetPlugin;
import io.proxyrt.transport.net.spi.NetComm;
import io.proxyrt.transport.net.spi.NetConnectComm;
import io.proxyrt.transport.net.spi.NetListenComm;
import io.proxyrt.transport.net.spi.NetPlugin;
import io.proxyrt.transport.net.spi.NetSendComm;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Plug-ins that misbehave on purpose. Each is told with the library, the function and the code, or borne; and
 * afterwards nothing of it is left, and another plug-in works in the same process.
 */
class PluginFaultTest {
    private static final int BYTES = 100_000;
    /** More than the plug-in has contexts, so that one that is not given back is missed. */
    private static final int ROUNDS = 70;
    private static final int TURNS = 1000;

    private final Arena arena = Arena.ofShared();
    private final MemorySegment source = arena.allocate(BYTES).fill((byte) 7);
    private final MemorySegment target = arena.allocate(BYTES);
    private List<String> descriptors;

    @BeforeAll
    static void requireACompiler() {
        assumeTrue(TcpNetPlugin.whyNot().isEmpty(), TcpNetPlugin::whyNot);
        exchange(TcpNetPlugin.library(11));
    }

    @BeforeEach
    void lookAtDescriptors() {
        descriptors = Holdings.now().descriptors();
    }

    @AfterEach
    void compareDescriptors() {
        arena.close();
        assertEquals(descriptors, Holdings.now().descriptors());
        exchange(TcpNetPlugin.library(11));
    }

    @ParameterizedTest
    @CsvSource({"6,ERR_INIT,init", "11,ERR_INIT,init", "8,ERR_DEVICES,devices", "12,ERR_DEVICES,devices",
        "10,ERR_PROPERTIES,getProperties", "11,ERR_PROPERTIES,getProperties"})
    void shouldSayWhichFunctionKeepsAPlugInFromBeingUsed(int version, NetFault fault, String function) {
        for (int i = 0; i < ROUNDS; i++) {
            assertTold(function, assertThrows(ProxyException.class, () -> open(version, fault)));
        }
    }

    @ParameterizedTest
    @CsvSource({"6,NO_DEVICES,0", "11,NO_DEVICES,0", "11,NEGATIVE_DEVICES,-3", "7,UNPACK_DEVICE,unpack",
        "12,UNPACK_DEVICE,unpack", "11,UNKNOWN_DEVICE_TYPE,type 9"})
    void shouldHaveNoDevicesThatCannotBeUsed(int version, NetFault fault, String reason) {
        for (int i = 0; i < ROUNDS; i++) {
            try (NetPlugin net = open(version, fault)) {
                assertEquals(0, net.devices());
                assertTrue(net.describe().contains(reason), net.describe());
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"6,NULL_PCI_PATH", "12,NULL_PCI_PATH", "6,NULL_NAME", "12,NULL_NAME", "11,NULL_PLUGIN_NAME",
        "6,SILLY_PROPERTIES", "12,SILLY_PROPERTIES", "6,NO_SIZE", "12,NO_SIZE", "11,SETS_ENVIRONMENT",
        "11,LOGS_FROM_A_THREAD", "6,LOGS_FROM_A_THREAD", "11,LOGS_A_FLOOD", "11,LOGS_JUNK", "10,PROFILES",
        "12,PROFILES", "11,ERR_CLOSE"})
    void shouldBearWhatDoesNoHarm(int version, NetFault fault) {
        exchange(TcpNetPlugin.misbehaving(version, fault, 0));
    }

    @Test
    void shouldMakeUpWhatADeviceDoesNotSay() {
        try (NetPlugin net = open(11, NetFault.NULL_NAME)) {
            assertTrue(!net.properties(0).name().isBlank());
        }
        try (NetPlugin net = open(11, NetFault.NULL_PCI_PATH)) {
            assertEquals("", net.properties(0).pciPath());
            assertEquals(TcpNetPlugin.DEVICE, net.properties(0).name());
        }
        try (NetPlugin net = open(11, NetFault.NULL_PLUGIN_NAME)) {
            assertTrue(!net.name().isBlank());
        }
    }

    @Test
    void shouldTakeASizeThatIsNotToldForThatOfTheReceive() {
        try (NetPlugin net = open(6, NetFault.NO_SIZE); NetPair pair = pair(net)) {
            long request = pair.irecv(0, 1000);
            pair.finish(pair.isend(0, 10), request);
            assertEquals(1000, pair.actual[0]);
        }
    }

    @Test
    void shouldNotHearOfAnEnvironmentThatAPlugInChanged() {
        try (NetPlugin net = open(11, NetFault.SETS_ENVIRONMENT)) {
            assertNull(System.getenv("NCCL_PROTO"));
            exchange(net);
        }
    }

    @ParameterizedTest
    @CsvSource({"6,ERR_LISTEN", "11,ERR_LISTEN", "12,NO_LISTENER"})
    void shouldSayWhyItCannotListen(int version, NetFault fault) {
        try (NetPlugin net = open(version, fault)) {
            assertNames("listen", assertThrows(ProxyException.class, () -> net.listen(0)).getMessage());
        }
    }

    @ParameterizedTest
    @CsvSource({"6,ERR_CONNECT,connect", "10,ERR_CONNECT,connect", "12,ERR_CONNECT,connect", "6,ERR_ACCEPT,accept",
        "12,ERR_ACCEPT,accept"})
    void shouldSayWhyItCannotConnect(int version, NetFault fault, String function) {
        try (NetPlugin net = open(version, fault)) {
            assertTold(function, assertThrows(ProxyException.class, () -> pair(net)));
            assertTold(function, assertThrows(ProxyException.class, () -> pair(net)));
        }
    }

    /** The caller has the deadline; the runtime's is tried with ranks. */
    @ParameterizedTest
    @EnumSource(names = {"NEVER_CONNECTS", "NEVER_ACCEPTS"})
    void shouldGoOnAskingForAConnectionThatNeverComes(NetFault fault) {
        try (NetPlugin net = open(11, fault); NetListenComm listen = net.listen(0);
                NetConnectComm connect = net.connect(0, listen.handle())) {
            NetSendComm send = null;
            for (int i = 0; i < TURNS; i++) {
                send = send == null ? connect.connect() : send;
                assertNull(listen.accept());
            }
            assertEquals(fault == NetFault.NEVER_CONNECTS, send == null);
            NetPair.close(send);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {6, 12})
    void shouldSayWhyItCannotRegister(int version) {
        try (NetPlugin net = open(version, NetFault.ERR_REG_MR)) {
            assertTold("regMr", assertThrows(ProxyException.class, () -> pair(net)));
        }
    }

    @ParameterizedTest
    @CsvSource({"6,ERR_ISEND,isend", "12,ERR_ISEND,isend", "6,ERR_IRECV,irecv", "12,ERR_IRECV,irecv",
        "6,ERR_TEST,test", "12,ERR_TEST,test"})
    void shouldFailTheConnectionWithWhatTheFunctionReturned(int version, NetFault fault, String function) {
        try (NetPlugin net = open(version, fault, 5); NetPair pair = pair(net)) {
            NetComm failed = fault == NetFault.ERR_IRECV ? pair.recv : pair.send;
            long result = 0;
            for (int i = 0; result >= 0; i++) {
                result = failed == pair.recv ? pair.irecv(0, 1) : sent(pair);
                assertTrue(i < TURNS, "nothing failed");
            }
            assertEquals(-ProxyResult.SYSTEM_ERROR.code(), result);
            assertNames(function, failed.failure());
            assertTrue(failed.failure().contains(function + " fails on purpose"), failed.failure());
            assertSticks(pair, failed, result);
        }
    }

    /** Sends a message and has it moved; the request that it has, or what failed. */
    private static long sent(NetPair pair) {
        long request = pair.tryIsend(0, 1);
        int result = request <= 0 ? (int) request : pair.send.test(request, new long[1]);
        return result < 0 ? result : request;
    }

    private static void assertSticks(NetPair pair, NetComm failed, long result) {
        String failure = failed.failure();
        assertEquals(result, failed == pair.recv ? pair.irecv(0, 1) : pair.tryIsend(0, 1));
        assertEquals(failure, failed.failure());
    }

    @Test
    void shouldFailAFlushWithWhatTheFunctionReturned() {
        try (NetPlugin net = open(11, NetFault.ERR_IFLUSH); NetPair pair = pair(net)) {
            pair.exchange(0, 0, 1000);
            assertEquals(-ProxyResult.SYSTEM_ERROR.code(), pair.iflush(1));
            assertNames("iflush", pair.recv.failure());
        }
    }

    @ParameterizedTest
    @CsvSource({"6,SIZE_TOO_LARGE", "12,SIZE_TOO_LARGE", "6,SIZE_NEGATIVE", "12,SIZE_NEGATIVE"})
    void shouldNotBelieveSizesThatCannotBe(int version, NetFault fault) {
        try (NetPlugin net = open(version, fault); NetPair pair = pair(net)) {
            long request = pair.irecv(0, 1000);
            int result = pair.awaitReceive(request, pair.isend(0, 1000));
            assertTrue(result < 0, "result " + result);
            assertNames("message", pair.recv.failure());
            assertTrue(pair.recv.failure().contains(fault == NetFault.SIZE_NEGATIVE ? "-5" : "2147483647"),
                    pair.recv.failure());
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"NEVER_SENDS", "NEVER_RECEIVES", "NEVER_DONE"})
    void shouldCloseWhatNeverMoves(NetFault fault) {
        try (NetPlugin net = open(11, fault); NetPair pair = pair(net)) {
            for (int i = 0; i < TURNS; i++) {
                long receiving = pair.irecv(0, 1);
                long sending = pair.tryIsend(0, 1);
                assertTrue(receiving >= 0 && sending >= 0, pair.recv.failure() + pair.send.failure());
                assertTrue(receiving == 0 || pair.recv.test(receiving, pair.actual) == 0);
                assertTrue(fault == NetFault.NEVER_RECEIVES || sending == 0 || !pair.isSent(sending));
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {6, 12})
    void shouldGiveEverythingBack(int version) {
        for (int i = 0; i < ROUNDS; i++) {
            exchange(TcpNetPlugin.library(version));
        }
    }

    private static NetPlugin open(int version, NetFault fault) {
        return open(version, fault, 0);
    }

    private static NetPlugin open(int version, NetFault fault, int after) {
        return NetPluginConformance.plugIn(TcpNetPlugin.misbehaving(version, fault, after), 0);
    }

    private NetPair pair(NetPlugin net) {
        return NetPair.connect(net, net, source, target);
    }

    /** What it fails with is the plug-in's code, in a message that says what to look at. */
    private static void assertTold(String function, ProxyException failure) {
        assertEquals(ProxyResult.SYSTEM_ERROR, failure.result(), failure.getMessage());
        assertNames(function, failure.getMessage());
        assertTrue(failure.getMessage().contains("2"), failure.getMessage());
        assertTrue(failure.getMessage().contains(function + " fails on purpose"), failure.getMessage());
    }

    private static void assertNames(String function, String message) {
        String without = message.replaceAll("\\S*libnccl-net-tcp.so", "LIBRARY");
        assertTrue(without.contains(function) && without.contains("LIBRARY"), message);
    }

    /** Messages over a network of its own. */
    private static void exchange(Path library) {
        try (NetPlugin net = NetPluginConformance.plugIn(library, 0)) {
            exchange(net);
        }
    }

    private static void exchange(NetPlugin net) {
        try (Arena arena = Arena.ofShared();
                NetPair pair = NetPair.connect(net, net, arena.allocate(BYTES).fill((byte) 3), arena.allocate(BYTES))) {
            for (int bytes : new int[] {0, 1, BYTES}) {
                pair.exchange(0, 0, bytes);
            }
            pair.assertSame(0, 0, BYTES);
        }
    }
}

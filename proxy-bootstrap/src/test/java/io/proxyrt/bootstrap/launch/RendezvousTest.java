/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bootstrap.launch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.bootstrap.Bootstrap;
import io.proxyrt.bootstrap.BootstrapOptions;
import io.proxyrt.bootstrap.launch.RankEnvironment.Launcher;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.ProxyConfig;
import java.io.IOException;
import java.net.ConnectException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.opentest4j.TestAbortedException;

class RendezvousTest {
    private static final Map<String, String> MASTER = Map.of("MASTER_ADDR", "node1", "MASTER_PORT", "29500");
    private static final String PARENT = "127.0.0.1:5:00000000000000000000000000000001";
    @TempDir
    private Path folder;

    @Test
    void shouldTakeTheFirstAddressThatIsGiven() {
        RankEnvironment self = new RankEnvironment(Launcher.TORCHRUN, 1, 4, 1, 2, "run");
        Map<String, String> environment = new HashMap<>(MASTER);
        assertEquals("node1:29500", Rendezvous.place(self, environment, null));
        environment.put("NCCL_COMM_ID", "node2:1");
        assertEquals("node2:1", Rendezvous.place(self, environment, null));
        environment.put("PROXYRT_COMM_ID", " node3:2 ");
        assertEquals("node3:2", Rendezvous.place(self, environment, null));
        assertEquals("node4:3", Rendezvous.place(self, environment, "node4:3"));
    }

    @Test
    void shouldGoOutOfTheWayOfTorchrunsOwnStore() {
        RankEnvironment self = rank(Launcher.TORCHRUN, 1, 4, 2);
        Map<String, String> environment = new HashMap<>(MASTER);
        environment.put("TORCHELASTIC_USE_AGENT_STORE", "True");
        assertEquals("node1:29501", Rendezvous.place(self, environment, null));
        environment.put("TORCHELASTIC_USE_AGENT_STORE", "False");
        assertEquals("node1:29500", Rendezvous.place(self, environment, null));
        environment.put("MASTER_ADDR", "fe80::1");
        assertEquals("[fe80::1]:29500", Rendezvous.place(self, environment, null));
    }

    /** By a file there, with a random id: other users can find out what torchrun calls the run. */
    @Test
    void shouldNotMeetAtAnAddressIfTorchrunKeepsToOneHost() {
        assertNull(Rendezvous.place(rank(Launcher.TORCHRUN, 1, 2, 2), MASTER, null));
    }

    @Test
    void shouldRefuseToMeetBeyondLoopbackWithoutASecret() throws IOException {
        String place = ownAddress() + ":" + freePort();
        ProxyException e = assertThrows(ProxyException.class,
                () -> Rendezvous.open(rank(Launcher.TORCHRUN, 0, 4, 2), Map.of(), place, config()));
        assertEquals(ProxyResult.INVALID_USAGE, e.result());
        for (String part : List.of("other hosts can reach " + ownAddress(), "PROXYRT_SECRET_FILE", "PROXYRT_SECRET")) {
            assertTrue(e.getMessage().contains(part), e.getMessage());
        }
        try (Rendezvous other = Rendezvous.open(rank(Launcher.TORCHRUN, 2, 4, 2), Map.of(), place, config())) {
            assertEquals(ProxyResult.INVALID_USAGE, assertThrows(ProxyException.class,
                    () -> Bootstrap.join(other.id(), 2, 4, Duration.ofSeconds(30), config())).result());
        }
    }

    @Test
    void shouldListenAtTheAddressThatIsDialledAndNoOther() throws IOException {
        int port = freePort();
        ProxyConfig secret = config().with(CoreOptions.SECRET, "given");
        try (Rendezvous place = Rendezvous.open(rank(Launcher.TORCHRUN, 0, 4, 2), Map.of(), ownAddress() + ":" + port,
                secret)) {
            new Socket(ownAddress(), port).close();
            assertThrows(ConnectException.class, () -> new Socket(InetAddress.getLoopbackAddress(), port).close());
            assertEquals(ownAddress(), place.id().address().getHostString());
        }
    }

    @Test
    void shouldListenWhereItIsTold() throws IOException {
        int port = freePort();
        ProxyConfig everywhere = config().with(CoreOptions.SECRET, "given")
                .with(BootstrapOptions.ADDRESS, "0.0.0.0");
        try (Rendezvous place = Rendezvous.open(rank(Launcher.TORCHRUN, 0, 4, 2), Map.of(), "192.0.2.1:" + port,
                everywhere)) {
            new Socket(InetAddress.getLoopbackAddress(), port).close();
            assertEquals("192.0.2.1", place.id().address().getHostString());
        }
    }

    @Test
    void shouldSayThatThePlaceIsOfAnotherHost() {
        ProxyException e = assertThrows(ProxyException.class,
                () -> Rendezvous.open(rank(Launcher.TORCHRUN, 0, 4, 2), Map.of(), "192.0.2.1:29500", config()));
        assertTrue(e.getMessage().contains("192.0.2.1:29500, and this host has no such address"), e.getMessage());
        assertTrue(e.getMessage().contains("proxyrt.coll.bootstrap.address"), e.getMessage());
    }

    @Test
    void shouldMeetAtLoopbackIfAllRanksAreOnOneHost() throws IOException {
        int port = freePort();
        for (int rank = 0; rank < 2; rank++) {
            try (Rendezvous place = Rendezvous.open(rank(Launcher.OPEN_MPI, rank, 2, 2), Map.of(),
                    "192.0.2.1:" + port, config())) {
                assertEquals(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), place.id().address());
            }
        }
    }

    @Test
    void shouldTellWhetherAParentKeepsItsRanksToThisHost() {
        assertTrue(Rendezvous.isWithinHost(Map.of("PROXYRT_UNIQUE_ID", PARENT)));
        assertFalse(Rendezvous.isWithinHost(Map.of("PROXYRT_UNIQUE_ID", PARENT.replace("127.0.0.1", "192.0.2.1"))));
        assertFalse(Rendezvous.isWithinHost(Map.of("PROXYRT_UNIQUE_ID", PARENT.replace("127.0.0.1", "localhost"))));
        assertFalse(Rendezvous.isWithinHost(Map.of("PROXYRT_UNIQUE_ID", "nonsense")));
        assertFalse(Rendezvous.isWithinHost(Map.of()));
    }

    @Test
    void shouldMeetOnTheFirstHostOfASlurmStep() {
        Map<String, String> environment = Map.of("SLURM_STEP_NODELIST", "gpu[07-08]");
        String place = Rendezvous.place(rank(Launcher.SLURM, 1, 4, 2), environment, null);
        assertTrue(place.matches("gpu07:[12]\\d{4}"), place);
        assertEquals(place, Rendezvous.place(rank(Launcher.SLURM, 3, 4, 2), environment, null));
        assertNull(Rendezvous.place(rank(Launcher.SLURM, 1, 4, 4), environment, null));
    }

    @Test
    void shouldMakeTheSameIdOfTheSameRunOnly() {
        assertEquals(Rendezvous.id("node1:1", "run"), Rendezvous.id("node1:1", "run"));
        assertNotEquals(Rendezvous.id("node1:1", "run"), Rendezvous.id("node1:1", "run 2"));
    }

    @Test
    void shouldNotRepeatTheKeyOfAnIdThatWasGivenInItsPlace() {
        String message = assertThrows(ProxyException.class, () -> Rendezvous.id(
                "node1:29500:0123456789abcdef0123456789abcdef", "")).getMessage();
        assertTrue(message.contains("'node1:29500:(key)'") && !message.contains("0123456789abcdef"), message);
    }

    @Test
    void shouldSayWhatIsNoAddress() {
        for (String place : new String[] {"node1", "node1:", ":1", "node1:0", "node1:70000", "a b:1", "fe80::1:5:x"}) {
            ProxyException e = assertThrows(ProxyException.class, () -> Rendezvous.id(place, ""));
            assertEquals(ProxyResult.INVALID_USAGE, e.result());
            assertTrue(e.getMessage().contains("'" + place + "' is no host:port"), e.getMessage());
        }
    }

    @Test
    void shouldAskForAnAddressWhereNothingTells() {
        ProxyException e = assertThrows(ProxyException.class,
                () -> Rendezvous.open(rank(Launcher.OPEN_MPI, 1, 4, 2), Map.of(), null, config()));
        assertEquals(ProxyResult.INVALID_USAGE, e.result());
        assertTrue(e.getMessage().contains("Open MPI started rank 1 of 4"), e.getMessage());
        assertTrue(e.getMessage().contains("PROXYRT_COMM_ID"), e.getMessage());
    }

    @Test
    void shouldSayThatThePortIsInUse() throws IOException {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            String place = "127.0.0.1:" + taken.getLocalPort();
            ProxyException e = assertThrows(ProxyException.class,
                    () -> Rendezvous.open(rank(Launcher.OPEN_MPI, 0, 2, 1), Map.of(), place, config()));
            assertTrue(e.getMessage().contains(place) && e.getMessage().contains("in use"), e.getMessage());
        }
    }

    @Test
    void shouldBringTheRanksOfOneHostTogetherThroughAFile() throws Exception {
        CompletableFuture<Void> one = CompletableFuture.runAsync(() -> join(1, null));
        join(0, null);
        one.get(30, TimeUnit.SECONDS);
        assertEquals(0, files());
    }

    @Test
    void shouldBringRanksTogetherAtAnAddress() throws Exception {
        String place;
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            place = "localhost:" + free.getLocalPort();
        }
        CompletableFuture<Void> one = CompletableFuture.runAsync(() -> join(1, place));
        join(0, place);
        one.get(30, TimeUnit.SECONDS);
        assertEquals(0, files());
    }

    @Test
    void shouldJoinWhereTheParentSays() {
        Map<String, String> environment = Map.of("PROXYRT_UNIQUE_ID", PARENT);
        try (Rendezvous place = Rendezvous.open(rank(Launcher.PROXYRT, 0, 2, 2), environment, null, config())) {
            assertEquals(PARENT, place.id().toString());
        }
    }

    private void join(int rank, String address) {
        try (Rendezvous place = Rendezvous.open(rank(Launcher.OPEN_MPI, rank, 2, 2), Map.of(), address, config());
                Bootstrap bootstrap = Bootstrap.join(place.id(), rank, 2, Duration.ofSeconds(30))) {
            place.joined();
            bootstrap.barrier(Duration.ofSeconds(30));
        }
    }

    /** An address that other hosts may reach. */
    private static String ownAddress() {
        try {
            return NetworkInterface.networkInterfaces().flatMap(NetworkInterface::inetAddresses)
                    .filter(address -> address instanceof Inet4Address && !address.isLoopbackAddress()).findFirst()
                    .map(InetAddress::getHostAddress)
                    .orElseThrow(() -> new TestAbortedException("this host has no address but loopback"));
        } catch (SocketException e) {
            throw new AssertionError(e);
        }
    }

    private static int freePort() throws IOException {
        try (ServerSocket free = new ServerSocket(0)) {
            return free.getLocalPort();
        }
    }

    private ProxyConfig config() {
        return ProxyConfig.builder().environment(Map.of())
                .set(CoreOptions.DIRECTORY, folder.resolve("runtimes").toString()).build();
    }

    private long files() throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.count();
        }
    }

    private static RankEnvironment rank(Launcher launcher, int rank, int nRanks, int localRanks) {
        return new RankEnvironment(launcher, rank, nRanks, rank % localRanks, localRanks,
                localRanks == nRanks || launcher == Launcher.SLURM ? "run" : "");
    }
}

/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.failure;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.bootstrap.BootstrapConfig;
import io.proxyrt.cli.ProxyRt;
import io.proxyrt.testkit.ChildJvm;
import io.proxyrt.testkit.Extent;
import io.proxyrt.transport.collnet.aggregation.SwitchLimits;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whole jobs, each rank a node, whose collectives a switch in a process of its own carries out; it comes to harm. */
@Tag(Extent.ONLY_FULL)
class CollNetJobTest {
    private static final BootstrapConfig DEFAULTS = BootstrapConfig.defaults();
    private static final Pattern ADDRESS = Pattern.compile("127\\.0\\.0\\.1:(\\d+)");
    private static final long BOUND_NS = TimeUnit.SECONDS.toNanos(10);
    private static final int CONNECTIONS = 500;

    @TempDir
    private Path folder;

    /** A switch in a process of its own. */
    private static final class SwitchProcess implements AutoCloseable {
        private final ChildJvm process;
        private final int port;

        SwitchProcess(Path folder) throws IOException {
            process = new ChildJvm(List.of(), ProxyRt.class, "collnet-switch", "--listen", "127.0.0.1:0", "--set",
                    "directory=" + folder.resolve("switch"));
            Matcher address = ADDRESS.matcher(process.line());
            assertTrue(address.find());
            port = Integer.parseInt(address.group(1));
        }

        String address() {
            return "127.0.0.1:" + port;
        }

        @Override
        public void close() {
            process.close();
        }
    }

    private ChildJob job(SwitchProcess collNetSwitch, int nRanks, String... options) throws IOException {
        return new ChildJob("NET", nRanks, folder.resolve("runtimes"), Stream.concat(Stream.of(options),
                Stream.of("host.id=node {rank}", "coll.collnet.enable=1", "coll.algo=collnet",
                        "collnet.switch=" + collNetSwitch.address())).toArray(String[]::new));
    }

    private static void requireUsed(ChildJob job) {
        job.rank(0).tell("collnet");
        String used = job.rank(0).line();
        assertTrue(used.startsWith("used: "), used);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldNameTheSwitchThatIsKilled(boolean isRunning) throws IOException {
        try (SwitchProcess collNetSwitch = new SwitchProcess(folder); ChildJob job = job(collNetSwitch, 4)) {
            job.join(DEFAULTS);
            requireUsed(job);
            if (isRunning) {
                job.run();
            }
            long startNs = System.nanoTime();
            collNetSwitch.process.signal("KILL");
            for (ChildJvm rank : job.others(-1)) {
                if (!isRunning) {
                    rank.tell("reduce");
                }
            }
            for (ChildJvm rank : job.others(-1)) {
                String line = rank.line();
                assertTrue(line.startsWith("failed REMOTE_ERROR ") && line.contains(collNetSwitch.address()), line);
            }
            assertTrue(System.nanoTime() - startNs < BOUND_NS, "ranks were told after "
                    + Duration.ofNanos(System.nanoTime() - startNs));
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldDoAgainWhatTheSwitchDidNotFinish(boolean isRunning) throws Exception {
        try (SwitchProcess collNetSwitch = new SwitchProcess(folder);
                ChildJob job = job(collNetSwitch, 4, "coll.collnet.redo=1")) {
            job.join(DEFAULTS);
            job.tellAll("reduce 10", "reduced");
            requireUsed(job);
            if (isRunning) {
                // None can end while the switch stands still.
                collNetSwitch.process.signal("STOP");
                job.others(-1).forEach(rank -> rank.tell("reduce 10"));
                Thread.sleep(500);
                collNetSwitch.process.signal("KILL");
                job.others(-1).forEach(rank -> rank.expect("reduced"));
            } else {
                collNetSwitch.process.signal("KILL");
                job.tellAll("reduce 10", "reduced");
            }
            for (ChildJvm rank : job.others(-1)) {
                rank.tell("collnet");
                String why = rank.line();
                assertTrue(why.startsWith("not used: it failed") && why.contains(collNetSwitch.address()), why);
            }
            job.tellAll("close", "closed");
        }
    }

    /** Of two switches one stays, and proxies move what goes within nodes: none of their ops would end by itself. */
    @Test
    void shouldDoAgainWhatOneOfTwoSwitchesDidNotFinish() throws Exception {
        try (SwitchProcess first = new SwitchProcess(folder.resolve("0"));
                SwitchProcess second = new SwitchProcess(folder.resolve("1"));
                ChildJob job = new ChildJob("NET", 4, folder.resolve("runtimes"), "host.id=node {node}",
                        "coll.collnet.enable=1", "coll.algo=collnet", "coll.transport=NET", "coll.collnet.redo=1",
                        "collnet.switch=" + first.address() + "," + second.address())) {
            job.join(DEFAULTS);
            job.tellAll("reduce 10", "reduced");
            requireUsed(job);
            job.others(-1).forEach(rank -> rank.tell("reduce 1000"));
            Thread.sleep(200);
            second.process.signal("KILL");
            job.others(-1).forEach(rank -> rank.expect("reduced"));
            job.rank(0).tell("collnet");
            String why = job.rank(0).line();
            assertTrue(why.startsWith("not used: it failed") && why.contains(second.address()), why);
            job.tellAll("close", "closed");
        }
    }

    @Test
    void shouldDoWithoutASwitchThatIsOutOfReach() throws IOException {
        SwitchProcess collNetSwitch = new SwitchProcess(folder);
        collNetSwitch.close();
        try (ChildJob job = job(collNetSwitch, 4, "connect.timeout=5s")) {
            job.join(DEFAULTS);
            job.tellAll("reduce 10", "reduced");
            for (ChildJvm rank : job.others(-1)) {
                rank.tell("collnet");
                String why = rank.line();
                assertTrue(why.startsWith("not used: rank ") && why.contains(collNetSwitch.address()), why);
            }
            job.tellAll("close", "closed");
        }
    }

    @Test
    void shouldWaitForASwitchThatIsStoppedForAWhile() throws Exception {
        try (SwitchProcess collNetSwitch = new SwitchProcess(folder); ChildJob job = job(collNetSwitch, 3)) {
            job.join(DEFAULTS);
            job.tellAll("reduce 10", "reduced");
            collNetSwitch.process.signal("STOP");
            job.others(-1).forEach(rank -> rank.tell("reduce 10"));
            Thread.sleep(3000);
            collNetSwitch.process.signal("CONT");
            job.others(-1).forEach(rank -> rank.expect("reduced"));
            requireUsed(job);
            job.tellAll("close", "closed");
        }
    }

    @Test
    void shouldServeJobsWhileUnauthenticatedConnectionsFloodIt() throws Exception {
        try (SwitchProcess collNetSwitch = new SwitchProcess(folder); ChildJob job = job(collNetSwitch, 2);
                Flood flood = new Flood(collNetSwitch.port)) {
            flood.grow(CONNECTIONS);
            job.join(DEFAULTS);
            requireUsed(job);
            // The job came behind them.
            int closed = flood.closed();
            assertTrue(closed >= CONNECTIONS - SwitchLimits.defaults().maxUnauthenticated(), closed + " were closed");
            flood.grow(CONNECTIONS);
            job.tellAll("reduce 50", "reduced");
            job.tellAll("close", "closed");
            // At most 256 are kept that have proven nothing.
            assertTrue(flood.closed() >= CONNECTIONS, flood.closed() + " of the flood were closed");
        }
    }

    @Test
    void shouldServeAJobWhileAnotherIsKilled() throws IOException {
        try (SwitchProcess collNetSwitch = new SwitchProcess(folder); ChildJob first = job(collNetSwitch, 2);
                ChildJob second = job(collNetSwitch, 2)) {
            first.join(DEFAULTS);
            second.join(DEFAULTS);
            first.run();
            second.tellAll("reduce 50", "reduced");
            first.others(-1).forEach(CollNetJobTest::kill);
            second.tellAll("reduce 200", "reduced");
            requireUsed(second);
            second.tellAll("close", "closed");
        }
    }

    @Test
    void shouldNameTheRankThatIsKilled() throws IOException {
        try (SwitchProcess collNetSwitch = new SwitchProcess(folder); ChildJob job = job(collNetSwitch, 3)) {
            job.join(DEFAULTS);
            job.run();
            job.rank(1).signal("KILL");
            for (ChildJvm rank : job.others(1)) {
                String line = rank.line();
                assertTrue(line.startsWith("failed REMOTE_ERROR ") && line.contains("rank 1"), line);
            }
        }
    }

    private static void kill(ChildJvm process) {
        try {
            process.signal("KILL");
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    /** Connections that say nothing, or no part of a handshake. */
    private static final class Flood implements AutoCloseable {
        private static final byte[] NOISE = new byte[100];

        private final int port;
        private final List<Socket> sockets = new ArrayList<>();

        Flood(int port) {
            this.port = port;
        }

        void grow(int more) throws IOException {
            for (int i = 0; i < more; i++) {
                Socket socket = new Socket(InetAddress.getByName("127.0.0.1"), port);
                sockets.add(socket);
                if (i % 2 == 0) {
                    say(socket.getOutputStream());
                }
            }
        }

        /** The switch may have closed it by now. */
        private static void say(OutputStream out) {
            try {
                out.write(NOISE);
            } catch (IOException e) {
                assertTrue(e.getMessage().matches("Broken pipe|Connection reset.*"), e.getMessage());
            }
        }

        /** How many the switch has closed. */
        int closed() throws IOException {
            int closed = 0;
            for (Socket socket : sockets) {
                closed += isClosed(socket) ? 1 : 0;
            }
            return closed;
        }

        private static boolean isClosed(Socket socket) throws IOException {
            socket.setSoTimeout(1);
            try {
                return socket.getInputStream().read() < 0;
            } catch (SocketTimeoutException e) {
                return false;
            } catch (SocketException e) {
                return true;
            }
        }

        @Override
        public void close() throws IOException {
            for (Socket socket : sockets) {
                socket.close();
            }
        }
    }
}

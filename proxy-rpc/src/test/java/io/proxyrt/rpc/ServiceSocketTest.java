/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.rpc;

import io.proxyrt.core.platform.HostInterface;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.service.BlockingClient;
import io.proxyrt.core.service.ProxyClient;
import io.proxyrt.core.service.message.MessageType;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.UnixDomainSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Where a service listens. */
class ServiceSocketTest {
    private final Rig rig = new Rig();

    @TempDir
    private Path directory;

    @AfterEach
    void close() {
        rig.close();
    }

    private static ProxyException failure(String... keysAndValues) {
        return assertThrows(ProxyException.class, () -> Rig.endpoint(3, new FakeHandler(), keysAndValues));
    }

    private RpcEndpoint openUnix() {
        return rig.open(3, new FakeHandler(), "rpc.listen", "unix", "rpc.directory", directory.toString());
    }

    private static Path path(RpcEndpoint endpoint) {
        return ((UnixDomainSocketAddress) endpoint.address()).getPath();
    }

    @Test
    void shouldServeOverAUnixSocket() {
        FakeHandler handler = new FakeHandler();
        RpcEndpoint service = rig.open(3, handler, "rpc.listen", "unix", "rpc.directory", directory.toString());
        ProxyClient client = rig.connect(rig.open(0, new FakeHandler()), service);

        assertEquals("ping", Rig.text(rig.await(client.call(MessageType.SETUP, 0, Rig.bytes("ping")))));

        assertEquals("SETUP of rank 0 at the Unix socket", handler.calls.getFirst().toString());
        assertTrue(client.toString().startsWith("session with the service of rank 3 at " + path(service)),
                client::toString);
        assertTrue(service.toString().startsWith("service of rank 3 at " + path(service) + ": 1 peers"),
                service::toString);
    }

    @Test
    void shouldServeBlockingCallersOverAUnixSocket() throws InterruptedException {
        ServiceThread service = new ServiceThread(Rig.endpoint(
                3, new FakeHandler(), "rpc.listen", "unix", "rpc.directory", directory.toString()));
        RpcEndpoint here = rig.open(0, new FakeHandler());

        try (BlockingClient client = here.connectBlocking(service.endpoint().address(), Duration.ofSeconds(20))) {
            assertEquals("x", Rig.text(client.call(MessageType.SETUP, 0, Rig.bytes("x"), Duration.ofSeconds(20))));
        }
        service.stop();
    }

    @Test
    void shouldLetNoOtherUserNearAUnixSocket() throws IOException {
        Path path = path(openUnix());

        assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(path)));
        assertEquals("rwx------", PosixFilePermissions.toString(Files.getPosixFilePermissions(path.getParent())));
        assertEquals(directory, path.getParent().getParent());
    }

    @Test
    void shouldLeaveNothingOfAUnixSocketBehind() throws IOException {
        RpcEndpoint service = openUnix();
        assertEquals(1, entries());

        service.onClose();

        assertEquals(0, entries());
        assertSame(ProxyResult.REMOTE_ERROR,
                rig.failure(rig.open(0, new FakeHandler()).connect(service.address())).result());
    }

    @Test
    void shouldRemoveNothingOfAnothersWhereItsFolderWas() throws IOException {
        RpcEndpoint service = openUnix();
        Path folder = path(service).getParent();
        Files.move(folder, directory.resolve("moved"));
        Path precious = Files.createDirectory(directory.resolve("precious"));
        Files.createSymbolicLink(folder, precious);
        Files.writeString(precious.resolve("socket"), "private");

        service.onClose();

        assertEquals("private", Files.readString(precious.resolve("socket")));
        assertTrue(Files.exists(folder), "the link is not this user's alone");
    }

    private long entries() throws IOException {
        try (Stream<Path> entries = Files.list(directory)) {
            return entries.count();
        }
    }

    @Test
    void shouldRefuseAPathThatIsTooLongOrNoDirectory() throws IOException {
        Path deep = Files.createDirectory(directory.resolve("d".repeat(100)));
        ProxyException tooLong = failure("rpc.listen", "unix", "rpc.directory", deep.toString());
        ProxyException absent = failure("rpc.listen", "unix", "rpc.directory", directory.resolve("absent").toString());

        assertSame(ProxyResult.INVALID_ARGUMENT, tooLong.result());
        assertTrue(tooLong.getMessage().endsWith("and a socket's path may have 106; set proxyrt.rpc.directory to a "
                + "shorter one"), tooLong.getMessage());
        assertSame(ProxyResult.SYSTEM_ERROR, absent.result());
        assertTrue(absent.getMessage().contains("the service of rank 3 cannot listen at " + directory),
                absent.getMessage());
        assertEquals(1, entries());
    }

    @Test
    void shouldUseTheLongestPathThereIs() {
        int room = 106 - "/proxyrt-rpc-0123456789abcdef/0123456789abcdef".length() - directory.toString().length() - 1;
        Path deep = directory.resolve("d".repeat(room));
        assertTrue(deep.toFile().mkdir());

        RpcEndpoint service = rig.open(3, new FakeHandler(), "rpc.listen", "unix", "rpc.directory", deep.toString());

        assertEquals(106, path(service).toString().length());
        rig.connect(rig.open(0, new FakeHandler()), service);
    }

    @Test
    void shouldTakeTheFirstFreePortOfARange() {
        int first = freePair();
        String range = first + "-" + (first + 1);

        assertEquals(first, Rig.port(rig.open(0, new FakeHandler(), "rpc.ports", range)));
        assertEquals(first + 1, Rig.port(rig.open(1, new FakeHandler(), "rpc.ports", range)));
        ProxyException failure = failure("rpc.ports", range);

        assertSame(ProxyResult.SYSTEM_ERROR, failure.result());
        assertEquals("the service of rank 3 cannot listen at 127.0.0.1:" + range + ": Address already in use; set "
                + "proxyrt.rpc.ports to a range with a free port, and proxyrt.rpc.address to an address of this host",
                failure.getMessage());
    }

    /** Two ports side by side that are free at this moment. */
    private int freePair() {
        for (int attempt = 0; attempt < 100; attempt++) {
            RpcEndpoint one = Rig.endpoint(0, new FakeHandler());
            int port = Rig.port(one);
            one.onClose();
            try {
                Rig.endpoint(0, new FakeHandler(), "rpc.port", Integer.toString(port + 1)).onClose();
                return port;
            } catch (ProxyException e) {
                assertSame(ProxyResult.SYSTEM_ERROR, e.result());
            }
        }
        throw new AssertionError("no two free ports side by side");
    }

    @Test
    void shouldRefuseARangeThatIsNone() {
        for (String range : List.of("x", "1", "5-4", "0-3", "1-65536", "1-2-3", "-1-2", "99999999999-2")) {
            ProxyException failure = failure("rpc.ports", range);
            assertSame(ProxyResult.INVALID_ARGUMENT, failure.result());
            assertTrue(failure.getMessage().contains("such as 30000-30100"), failure.getMessage());
        }
        assertTrue(failure("rpc.ports", "5-6", "rpc.port", "7").getMessage().endsWith("set one of the two"));
    }

    @Test
    void shouldListenAtAnInterfaceByName() throws IOException {
        String loopback = NetworkInterface.networkInterfaces().filter(ServiceSocketTest::isLoopback)
                .map(NetworkInterface::getName).findFirst().orElseThrow();

        RpcEndpoint service = rig.open(3, new FakeHandler(), "rpc.interface", "=" + loopback);

        assertTrue(((InetSocketAddress) service.address()).getAddress().isLoopbackAddress());
        assertTrue(service.toString().contains(" (interface " + loopback + ", as proxyrt.rpc.interface is ="
                + loopback + ")"), service::toString);
        rig.connect(rig.open(0, new FakeHandler()), service);
    }

    private static boolean isLoopback(NetworkInterface network) {
        try {
            return network.isLoopback();
        } catch (IOException e) {
            return false;
        }
    }

    private static HostInterface candidate(String name, boolean isUp, String... addresses) {
        return new HostInterface(name, isUp, Stream.of(addresses).map(ServiceSocketTest::address).toList());
    }

    private static InetAddress address(String digits) {
        try {
            return InetAddress.getByName(digits);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void shouldChooseAnInterfaceAsNcclDoes() {
        List<HostInterface> host = List.of(candidate("lo", true, "::1", "127.0.0.1"),
                candidate("eth10", true, "10.0.0.10"), candidate("eth1", true, "fe80::1", "fd00::1"),
                candidate("eth0", false, "10.0.0.1"), candidate("ib0", true, "fe80::2"));

        assertEquals("eth1", ServiceSocket.choose("eth", host).name());
        assertEquals(address("fd00::1"), ServiceSocket.choose("eth", host).address(any -> true).orElseThrow());
        assertEquals("eth10", ServiceSocket.choose("=eth10", host).name());
        assertEquals("eth10", ServiceSocket.choose("^lo,=eth1", List.of(host.get(0), host.get(1))).name());
        assertEquals("eth10", ServiceSocket.choose("^=lo,eth1", host).name());
        assertEquals("lo", ServiceSocket.choose("^eth", host).name());
        assertEquals(address("127.0.0.1"), ServiceSocket.choose("ib, lo", host).address(any -> true).orElseThrow());
        for (String none : List.of("=eth", "eth0", "ib0", "^lo,eth", "wlan")) {
            ProxyException failure = assertThrows(ProxyException.class, () -> ServiceSocket.choose(none, host));
            assertSame(ProxyResult.INVALID_ARGUMENT, failure.result());
            assertTrue(failure.getMessage().endsWith("this host has [lo, eth10, eth1, eth0 (down), ib0 (no address)]"),
                    failure.getMessage());
        }
    }

    @Test
    void shouldKnowWhetherOthersReachIt() throws IOException {
        ServiceSocket inside = ServiceSocket.open(Rig.config(), "rank 3");
        ServiceSocket outside = ServiceSocket.open(Rig.config("rpc.address", "0.0.0.0"), "rank 3");

        assertTrue(outside.isExposed());
        assertTrue(!inside.isExposed());
        inside.close();
        outside.close();
    }
}

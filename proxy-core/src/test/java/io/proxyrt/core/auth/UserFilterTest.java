/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.auth;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.auth.UserFilter.Verdict;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.platform.SocketOwner;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteOrder;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class UserFilterTest {
    /** As a kernel printed them, on a machine that stores the least byte first. */
    private static final String TCP = """
              sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
               0: 0100007F:733C 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 51 1 0
               1: 0100007F:9C40 0100007F:733C 01 00000000:00000000 00:00000000 00000000  1000        0 53 1 0
               2: 0100007F:733C 0100007F:9C40 01 00000000:00000000 00:00000000 00000000     0        0 52 1 0
               3: 0100007F:9C41 0100007F:733C 06 00000000:00000000 03:00001770 00000000     0        0 0 3 0
               4: 0100007F:9C42 0100007F:733C 04 00000000:00000000 01:00000019 00000000     0        0 0 3 0
               5: 0100007F:9C44 0100007F:733C 01 00000000:00000000 00:00000000 00000000 4294967294        0 53 1 0
            """;
    private static final String TCP6 = """
              sl  local_address                         remote_address                        st tx_queue \
              rx_queue tr tm->when retrnsmt   uid  timeout inode
               0: 0000000000000000FFFF00000100007F:9C43 0000000000000000FFFF00000100007F:733C 01\
               00000000:00000000 00:00000000 00000000  1001        0 53 1 0
               1: B80D0120000000000000000001000000:9C43 B80D0120000000000000000002000000:733C 01\
               00000000:00000000 00:00000000 00000000  1002        0 53 1 0
               2: broken
            """;
    private static final InetSocketAddress ROOT = new InetSocketAddress("127.0.0.1", 0x733C);
    @TempDir
    private Path tables;

    @BeforeEach
    void write() throws IOException {
        assumeTrue(ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN, "the lists are of another kind of machine");
        Files.writeString(tables.resolve("tcp"), TCP);
        Files.writeString(tables.resolve("tcp6"), TCP6);
    }

    @Test
    void shouldFindTheUserOfAnOpenSocket() {
        assertEquals(Optional.of(new SocketOwner(1000, true)), find("127.0.0.1", 0x9C40));
        assertEquals(Optional.of(new SocketOwner(1001, true)), find("127.0.0.1", 0x9C43));
        assertEquals(Optional.of(new SocketOwner(-2, true)), find("127.0.0.1", 0x9C44));
        assertEquals(Optional.of(new SocketOwner(1002, true)), SocketTable.find(tables,
                new InetSocketAddress("2001:db8::1", 0x9C43), new InetSocketAddress("2001:db8::2", 0x733C)));
    }

    @Test
    void shouldNotTakeTheOtherEndForThePeers() {
        assertEquals(Optional.of(new SocketOwner(0, true)),
                SocketTable.find(tables, ROOT, new InetSocketAddress("127.0.0.1", 0x9C40)));
        assertEquals(Optional.empty(), find("127.0.0.2", 0x9C40));
        assertEquals(Optional.empty(), find("127.0.0.1", 0xC409));
    }

    @Test
    void shouldAdmitItsOwnUserAndThoseThatAreListed() {
        assertEquals(new Verdict(true, ""), judge(filter("", 1000), 0x9C40));
        assertEquals(new Verdict(true, ""), judge(filter("7,1000", 5), 0x9C40));
        assertEquals(new Verdict(true, "user 1000 is not admitted; list it in proxyrt.uds.allow.uids if it shall be"),
                judge(filter("", 0), 0x9C40));
        assertTrue(judge(filter("", 0), 0x9C44).refusal().startsWith("user 4294967294 is not admitted"));
    }

    /** The kernel says user 0 of both. */
    @ParameterizedTest
    @ValueSource(ints = {0x9C41, 0x9C42})
    void shouldNotTakeAClosedSocketForOneOfRoot(int port) {
        assertEquals(new Verdict(true, "its socket is closed, and nothing tells whose it was"),
                judge(filter("", 0), port));
    }

    @Test
    void shouldSayNothingOfPeersElsewhere() throws IOException {
        UserFilter filter = filter("", 0);
        Verdict unknown = new Verdict(false, "");
        assertEquals(unknown, judge(filter, 0x9C99));
        assertEquals(unknown, filter.judge(tables, ROOT, new InetSocketAddress("192.0.2.1", 0x9C40)));
        assertEquals(unknown, filter.judge(tables, ROOT, UnixDomainSocketAddress.of("x")));
        Files.delete(tables.resolve("tcp"));
        Files.delete(tables.resolve("tcp6"));
        assertEquals(unknown, judge(filter, 0x9C40));
    }

    @ParameterizedTest
    @ValueSource(strings = {"root", "-1", "1;2", "4294967296"})
    void shouldRefuseWhatIsNoUser(String wrong) {
        ProxyException failure = assertThrows(ProxyException.class, () -> filter(wrong, 0));
        assertEquals(ProxyResult.INVALID_ARGUMENT, failure.result());
        assertEquals("proxyrt.uds.allow.uids: '" + wrong + "' is no user's number; list numbers, such as 1001,1002",
                failure.getMessage());
    }

    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1", "::1"})
    void shouldKnowALivePeer(String host) throws IOException {
        assumeTrue(Files.isReadable(Path.of("/proc/net/tcp6")), "this system has no list of sockets");
        for (StandardProtocolFamily family : new StandardProtocolFamily[] {StandardProtocolFamily.INET,
            StandardProtocolFamily.INET6}) {
            if (family == StandardProtocolFamily.INET6 || host.indexOf(':') < 0) {
                assertKnows(host, family);
            }
        }
    }

    private static void assertKnows(String host, StandardProtocolFamily family) throws IOException {
        try (ServerSocketChannel server = ServerSocketChannel.open();
                SocketChannel caller = SocketChannel.open(family)) {
            server.bind(new InetSocketAddress(InetAddress.getByName(host), 0));
            caller.connect(server.getLocalAddress());
            try (SocketChannel accepted = server.accept()) {
                SocketAddress here = accepted.getLocalAddress();
                SocketAddress there = accepted.getRemoteAddress();
                assertEquals(new Verdict(true, ""), UserFilter.of(config("")).judge(here, there));
                assertTrue(UserFilter.of(config(""), 12_345).judge(here, there).isRefusal());
                assertNotAdmittedOnceClosed(caller, here, there);
            }
        }
    }

    private static void assertNotAdmittedOnceClosed(SocketChannel caller, SocketAddress here, SocketAddress there)
            throws IOException {
        caller.close();
        assertNotEquals(new Verdict(true, ""), UserFilter.of(config("")).judge(here, there));
    }

    private Optional<SocketOwner> find(String host, int port) {
        return SocketTable.find(tables, new InetSocketAddress(host, port), ROOT);
    }

    private Verdict judge(UserFilter filter, int port) {
        return filter.judge(tables, ROOT, new InetSocketAddress("127.0.0.1", port));
    }

    private static UserFilter filter(String uids, int own) {
        return UserFilter.of(config(uids), own);
    }

    private static ProxyConfig config(String uids) {
        return ProxyConfig.builder().environment(Map.of()).set(CoreOptions.ALLOW_UIDS, uids).build();
    }
}

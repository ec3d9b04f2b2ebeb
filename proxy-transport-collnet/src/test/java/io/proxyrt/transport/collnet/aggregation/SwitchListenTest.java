/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.collnet.aggregation;

import static io.proxyrt.transport.collnet.aggregation.SwitchRig.SMALL;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.proxyrt.core.DataType;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.RedOp;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.counters.CountersReader;
import io.proxyrt.core.directory.RuntimeDirectory;
import io.proxyrt.transport.collnet.wire.GroupId;
import io.proxyrt.transport.collnet.wire.WireCredential;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Where a switch listens, to whom, and what it shows. */
class SwitchListenTest {
    private final SwitchRig rig = new SwitchRig();

    @AfterEach
    void close() throws Exception {
        rig.close();
    }

    @Test
    void shouldOpenToOtherHostsOnlyWithASecret() {
        final ProxyConfig none = ProxyConfig.builder().set(CoreOptions.SECRET, "").build();
        final InetSocketAddress everywhere = new InetSocketAddress(0);

        final ProxyException e = assertThrows(ProxyException.class,
                () -> AggregationSwitch.start(SwitchConfig.of(everywhere, none)).close());
        assertEquals(ProxyResult.INVALID_USAGE, e.result());
        assertTrue(e.getMessage().contains(CoreOptions.SECRET_FILE.environmentName()), e.getMessage());
        AggregationSwitch.start(SwitchConfig.of(everywhere, SwitchRig.SETTINGS)).close();
    }

    @Test
    void shouldServeThisUserWithoutASecret() throws IOException {
        final ProxyConfig none = ProxyConfig.builder().set(CoreOptions.SECRET, "").build();
        final AggregationSwitch open = rig.keep(AggregationSwitch.start(SwitchConfig.of(SwitchRig.ANY, none)));
        final RawParticipant only = rig.keep(RawParticipant.of(open.address(), WireCredential.of(none),
                SwitchRig.newGroup(), 1, 0));

        SwitchRig.await(List.of(only), RawParticipant::isReady);
    }

    @Test
    void shouldServeBehindASocketThatIsBoundAlready() throws IOException {
        final byte[] key = new byte[GroupId.KEY_BYTES];
        key[0] = 1;
        final ServerSocketChannel server = ServerSocketChannel.open().bind(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        final AggregationSwitch embedded = rig.keep(AggregationSwitch.start(
                SwitchConfig.ofGroup(SwitchRig.ANY, SwitchRig.SETTINGS, key), server));
        final RawParticipant only = rig.keep(RawParticipant.of(embedded.address(),
                WireCredential.ofGroup(SwitchRig.SETTINGS, key), GroupId.of(key), 1, 0));

        SwitchRig.await(List.of(only), RawParticipant::isReady);
        assertTrue(embedded.describe().contains("1 groups, 1 connections"), embedded.describe());
    }

    @Test
    void shouldShowItsCountersToOtherProcesses(@TempDir Path folder) throws IOException {
        final ProxyConfig settings = ProxyConfig.builder().set(CoreOptions.SECRET, "of the test")
                .set(CoreOptions.DIRECTORY, folder.resolve("runtimes").toString()).build();
        final AggregationSwitch shown = AggregationSwitch.start(SwitchConfig.of(SwitchRig.ANY, settings).shown());
        final List<RawParticipant> all = rig.readyGroup(2, shown);
        final Path counters = RuntimeDirectory.list(settings).getFirst().counters();

        try (CountersReader reader = CountersReader.open(counters)) {
            assertEquals(shown.name(), reader.job());
            assertEquals(SwitchCounter.JOBS.label(), reader.label(0));
            RawParticipant.await(all, () -> reader.value(0) == 1 && reader.value(1) == 2);
        }
        shown.close();
        assertEquals(List.of(), RuntimeDirectory.list(settings));
    }

    @Test
    void shouldSayWhatListensAlready() {
        final AggregationSwitch root = rig.root(SMALL);

        final ProxyException e = assertThrows(ProxyException.class,
                () -> AggregationSwitch.start(SwitchConfig.of(root.address(), SwitchRig.SETTINGS)));
        assertTrue(e.getMessage().contains("cannot listen at"), e.getMessage());
    }

    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1", "::1", "0.0.0.0", "::"})
    void shouldServeParticipantsOfTheFamiliesThatItsAddressHas(String host) throws IOException {
        final InetAddress address = InetAddress.ofLiteral(host);
        assumeTrue(isLocal(address), "this host has no " + host);
        final AggregationSwitch running = rig.keep(AggregationSwitch.start(
                SwitchConfig.of(new InetSocketAddress(address, 0), SwitchRig.SETTINGS)));
        final List<InetAddress> ways = Stream.of("127.0.0.1", "::1").map(InetAddress::ofLiteral)
                .filter(way -> address.isAnyLocalAddress() ? isLocal(way) : way.equals(address)).toList();
        final GroupId group = SwitchRig.newGroup();
        final List<RawParticipant> all = new ArrayList<>();
        for (int rank = 0; rank < ways.size(); rank++) {
            all.add(rig.keep(RawParticipant.of(new InetSocketAddress(ways.get(rank), running.address().getPort()),
                    WireCredential.of(SwitchRig.SETTINGS), group, ways.size(), rank)));
        }
        assertFalse(all.isEmpty());
        SwitchRig.await(all, RawParticipant::isReady);
        final byte[] expected = SwitchRig.allReduce(all, DataType.INT32, RedOp.SUM, 100, 1);

        SwitchRig.awaitResults(all, 1);
        SwitchRig.assertResults(expected, all, 0);
    }

    private static boolean isLocal(InetAddress address) {
        try (ServerSocketChannel server = ServerSocketChannel.open()) {
            server.bind(new InetSocketAddress(address, 0));
            return true;
        } catch (IOException | UnsupportedOperationException e) {
            return false;
        }
    }

    @Test
    void shouldBeCalledByTheHostsNameIfItListensAtAWildcard() throws IOException {
        final AggregationSwitch everywhere = rig.keep(AggregationSwitch.start(
                SwitchConfig.of(new InetSocketAddress(0), SwitchRig.SETTINGS)));
        final String host = Files.readString(Path.of("/proc/sys/kernel/hostname")).strip();

        assertEquals("switch " + host + ":" + everywhere.address().getPort(), everywhere.name());
    }

    @ParameterizedTest
    @ValueSource(strings = {"0.0.0.0", "::"})
    void shouldRefuseAWildcardAsItsParent(String host) {
        final SwitchConfig config = SwitchConfig.of(SwitchRig.ANY, SwitchRig.SETTINGS)
                .withParent(new InetSocketAddress(InetAddress.ofLiteral(host), 4791));

        final ProxyException e = assertThrows(ProxyException.class, () -> AggregationSwitch.start(config).close());
        assertEquals(ProxyResult.INVALID_ARGUMENT, e.result());
        assertTrue(e.getMessage().contains("a wildcard"), e.getMessage());
    }
}

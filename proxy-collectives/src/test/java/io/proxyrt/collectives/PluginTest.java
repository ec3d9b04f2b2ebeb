/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.ThreadingMode;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.testkit.Extent;
import io.proxyrt.testkit.plugin.NetFault;
import io.proxyrt.testkit.plugin.TcpNetPlugin;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Ranks over the network of a plug-in in C, at each version of NCCL's interface; and over plug-ins that misbehave. */
@Tag(Extent.SCALED)
class PluginTest {
    private static final int OLDEST = 6;
    private static final int NEWEST = 12;
    /** Messages that a plug-in carries before it begins to misbehave. */
    private static final int LATER = 40;

    @TempDir
    Path directory;

    @BeforeAll
    static void requireACompiler() {
        assumeTrue(TcpNetPlugin.whyNot().isEmpty(), TcpNetPlugin::whyNot);
    }

    static Stream<Arguments> shapes() {
        return Extent.sample(23, IntStream.rangeClosed(OLDEST, NEWEST).boxed().flatMap(version ->
                Stream.of("auto", "LL", "LL128", "Simple").flatMap(protocol -> Stream.of(2, 4)
                        .map(nRanks -> Arguments.of(version, protocol, nRanks)))));
    }

    @ParameterizedTest
    @MethodSource("shapes")
    void shouldCarryAllThatRanksSay(int version, String protocol, int nRanks) throws Exception {
        ThreadingMode mode = version % 2 == 0 ? ThreadingMode.DEDICATED : ThreadingMode.INVOKER;
        ProxyConfig config = config(mode, TcpNetPlugin.library(version, TcpNetPlugin.IN_ORDER))
                .set("coll.protocol", protocol).build();
        InProcessRanks.run(nRanks, config, CheckedTalk::talk);
    }

    @ParameterizedTest
    @CsvSource({"12,AUTO,4", "9,SIMPLE,3", "6,LL,3"})
    void shouldCarryWhatIsReceivedInGroups(int version, String protocol, int nRanks) throws Exception {
        ProxyConfig config = config(ThreadingMode.SHARED,
                TcpNetPlugin.library(version, TcpNetPlugin.GROUPS)).set("coll.protocol", protocol)
                .set("net.force.flush", "1").build();
        InProcessRanks.run(nRanks, config, CheckedTalk::talk);
    }

    @Test
    void shouldBearSizesThatAreNotTold() throws Exception {
        ProxyConfig config = config(NetFault.NO_SIZE, 0).build();
        InProcessRanks.run(2, config, CheckedTalk::talk);
    }

    @Test
    void shouldBeFoundByTheVariableOfNccl() throws Exception {
        Map<String, String> environment = Map.of("NCCL_NET_PLUGIN", TcpNetPlugin.library(NEWEST).toString());
        ProxyConfig config = InProcessRanks.config(directory, ThreadingMode.INVOKER).environment(environment).build();
        InProcessRanks.run(2, config, comm -> {
            String network = comm.proxy().describe("NET");
            assertTrue(network.startsWith(TcpNetPlugin.NAME + ": " + TcpNetPlugin.DEVICE + " (plug-in "), network);
            assertTrue(network.contains("Socket: not used, " + TcpNetPlugin.NAME + " comes first"), network);
            CheckedTalk.allReduce(comm, 1000);
        });
    }

    @ParameterizedTest
    @CsvSource({"ERR_TEST,test", "ERR_ISEND,isend", "ERR_IRECV,irecv", "SIZE_TOO_LARGE,2147483647 bytes",
        "SIZE_NEGATIVE,-5 bytes"})
    void shouldFailRanksWithWhatThePlugInDid(NetFault fault, String function) throws Exception {
        List<Throwable> failures = failures(fault, LATER);
        assertTrue(failures.stream().anyMatch(failure -> names(failure, function)), failures::toString);
        assertOthersWork();
    }

    @ParameterizedTest
    @CsvSource({"ERR_LISTEN,listen", "ERR_CONNECT,connect", "ERR_ACCEPT,accept", "ERR_REG_MR,regMr"})
    void shouldFailRanksThatCannotConnect(NetFault fault, String function) throws Exception {
        List<Throwable> failures = failures(fault, 0);
        assertTrue(failures.stream().anyMatch(failure -> names(failure, function)), failures::toString);
        assertOthersWork();
    }

    @ParameterizedTest
    @EnumSource(names = {"NEVER_CONNECTS", "NEVER_ACCEPTS"})
    void shouldGiveUpOnAConnectionThatNeverComes(NetFault fault) throws Exception {
        ProxyConfig config = config(fault, 0)
                .set(CoreOptions.CONNECT_TIMEOUT, Duration.ofMillis(1500)).build();
        List<Throwable> failures = InProcessRanks.failures(2, config, CheckedTalk::talk);
        for (Throwable failure : failures) {
            assertNotNull(failure);
        }
        assertTrue(failures.stream().map(Throwable::getMessage).anyMatch(message ->
                message.contains("not done within 1500 ms")), failures::toString);
        assertOthersWork();
    }

    @ParameterizedTest
    @EnumSource(names = {"NEVER_SENDS", "NEVER_RECEIVES", "NEVER_DONE"})
    void shouldGiveUpOnMessagesThatNeverMove(NetFault fault) throws Exception {
        ProxyConfig config = config(fault, LATER)
                .set(CollectivesOptions.TIMEOUT, Duration.ofMillis(1500)).build();
        List<Throwable> failures = InProcessRanks.failures(2, config, CheckedTalk::talk);
        for (Throwable failure : failures) {
            assertInstanceOf(ProxyException.class, failure);
        }
        assertTrue(failures.stream().anyMatch(failure -> ((ProxyException) failure).result() == ProxyResult.TIMEOUT),
                failures::toString);
        assertOthersWork();
    }

    private ProxyConfig.Builder config(NetFault fault, int after) {
        return config(ThreadingMode.DEDICATED, TcpNetPlugin.misbehaving(NEWEST, fault, after));
    }

    private List<Throwable> failures(NetFault fault, int after) throws Exception {
        List<Throwable> failures = InProcessRanks.failures(2, config(fault, after).build(), CheckedTalk::talk);
        for (Throwable failure : failures) {
            assertInstanceOf(ProxyException.class, failure);
        }
        return failures;
    }

    private static boolean names(Throwable failure, String function) {
        String without = failure.getMessage().replaceAll("\\S*libnccl-net-tcp.so", "LIBRARY");
        return without.contains(function) && without.contains("LIBRARY");
    }

    private void assertOthersWork() throws Exception {
        InProcessRanks.run(2, config(ThreadingMode.INVOKER,
                TcpNetPlugin.library(NEWEST)).build(),
                comm -> CheckedTalk.allReduce(comm, 1000));
    }

    private ProxyConfig.Builder config(ThreadingMode mode, Path library) {
        return InProcessRanks.config(directory, mode).set("net.plugin", library.toString())
                .set("net", TcpNetPlugin.NAME);
    }
}

/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.verbs.Verbs;
import io.proxyrt.core.verbs.VerbsContext;
import io.proxyrt.transport.net.external.FakePlugIns;
import io.proxyrt.transport.net.ib.IbNetProvider;
import io.proxyrt.transport.net.socket.SocketNetProvider;
import io.proxyrt.transport.net.spi.NetPlugin;
import io.proxyrt.transport.net.spi.NetPluginProvider;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which plug-in is used, by which name, and which of the others the user is warned of. */
class NetSelectionTest {
    private static final String DEFAULT = "libnccl-net.so";

    private final List<String> warnings = new ArrayList<>();

    private NetSelection select(String wanted, NetPluginProvider... providers) {
        ProxyConfig config = ProxyConfig.builder().environment(Map.of("NCCL_NET", wanted)).build();
        NetSelection selection = NetSelection.of(List.of(providers), config, 0, warnings::add);
        if (selection.plugin() != null) {
            selection.plugin().close();
        }
        return selection;
    }

    private void assertWarned(NetSelection selection, String... parts) {
        assertNull(selection.plugin());
        assertEquals(selection.findings(), warnings);
        for (String part : parts) {
            assertTrue(warnings.getFirst().contains(part), warnings::toString);
        }
    }

    @Test
    void shouldWarnOfAPlugInThatWasAskedForAndHasNoDevice() {
        assertWarned(select("", FakePlugIns.of("/x").withoutDevice().provider("/x")), "Fake", "the plug-in says 0");
    }

    @Test
    void shouldWarnOfAPlugInThatWasAskedForAndFails() {
        assertWarned(select("", FakePlugIns.of("/x").failing().provider("/x")), "Fake: not used", "init of Fake");
    }

    @Test
    void shouldWarnOfAPlugInThatWasAskedForAndIsNotThere() {
        assertWarned(select("", FakePlugIns.of("").provider("/x")), "/x: not used", "cannot load /x");
    }

    @Test
    void shouldWarnOfAPlugInThatHappensToBeThereAndFails() {
        assertWarned(select("", FakePlugIns.of(DEFAULT).failing().provider("")), "Fake: not used", "init of Fake");
    }

    @Test
    void shouldWarnOfALibraryThatHappensToBeThereAndIsNoPlugIn() {
        assertWarned(select("", FakePlugIns.strange().provider("")), DEFAULT + ": not used", "cannot load " + DEFAULT);
    }

    @Test
    void shouldNotWarnOfThePlugInThatHappensNotToBeThere() {
        NetSelection selection = select("", FakePlugIns.of("").provider(""));

        assertNull(selection.plugin());
        assertTrue(selection.findings().getFirst().contains("cannot load " + DEFAULT), selection::describe);
        assertEquals(List.of(), warnings);
    }

    /** As IB does where ports are not there that are to be one device, and sockets are taken. */
    @ParameterizedTest
    @CsvSource({"NCCL_NET_FORCE_MERGE, 'a:1,b:1', 'makes one device of [a:1, b:1], and a:1 is not there'",
        "NCCL_NET_FORCE_MERGE, a, names 1 ports", "NCCL_IB_HCA, a:b, no port behind the colon"})
    void shouldWarnOfANetworkThatCannotDoWhatOptionsSay(String option, String value, String why) {
        ProxyConfig config = ProxyConfig.builder().environment(Map.of(option, value, "NCCL_SOCKET_IFNAME", "=lo"))
                .build();
        NetSelection selection = NetSelection.of(List.of(new IbNetProvider(NoAdapters::new), new SocketNetProvider()),
                config, 0, warnings::add);
        selection.plugin().close();
        assertEquals("Socket", selection.plugin().name());
        assertEquals(List.of(selection.findings().getFirst()), warnings);
        assertTrue(warnings.getFirst().startsWith("IB: not used, ") && warnings.getFirst().contains(option)
                && warnings.getFirst().contains(why), warnings::toString);
    }

    private record NoAdapters() implements Verbs {
        @Override
        public String name() {
            return "none";
        }

        @Override
        public String whyNot() {
            return "";
        }

        @Override
        public List<String> devices() {
            return List.of();
        }

        @Override
        public VerbsContext open(String device) {
            throw new AssertionError(device);
        }
    }

    @Test
    void shouldGoByTheNameThatAPlugInHasOnceItIsInitialized() {
        assertNotNull(select("later", FakePlugIns.of("/x").renamed("Later").provider("/x")).plugin());
        assertEquals(List.of(), warnings);
    }

    /** As one that makes a network of this project in another way. */
    @Test
    void shouldGoByTheNameOfAProviderWhateverItsNetworkIsCalled() {
        NetPluginProvider provider = new NetPluginProvider() {
            @Override
            public String name() {
                return "Mine";
            }

            @Override
            public int priority() {
                return 0;
            }

            @Override
            public NetPlugin create(ProxyConfig config, int rank) {
                return new SocketNetProvider().create(config, rank);
            }
        };
        assertEquals("Socket", select("mine", provider).plugin().name());
        assertNull(select("socket", provider).plugin());
    }

    @Test
    void shouldFinishAPlugInThatIsNotTheOneThatIsAskedFor() {
        FakePlugIns plugIns = FakePlugIns.of("/x").renamed("Later");
        NetSelection selection = select("fake", plugIns.provider("/x"));

        assertNull(selection.plugin());
        assertEquals(List.of("Later: not used, proxyrt.net is fake"), selection.findings());
        assertEquals("finish[5]", plugIns.calls().getLast());
        assertEquals(List.of(), warnings, "it was not asked for");
    }

    @Test
    void shouldLoadNoPlugInBehindTheOneThatIsUsed() {
        FakePlugIns second = FakePlugIns.of("/second");
        NetSelection selection = select("", FakePlugIns.of("/first").provider("/first"), second.provider("/second"));

        assertEquals("/second: not used, Fake comes first", selection.findings().getLast());
        assertEquals(List.of(), second.asked());
    }
}

/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.runtime.ProxyState;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The arrows of docs/architecture.md, among proxy-core's packages and among all modules, on the compiled classes. */
class LayersTest {
    private static final String CORE = "io.proxyrt.core";
    /** Lowest first. */
    private static final List<Set<String>> LAYERS = Stream.of(Set.of(""),
            Set.of(".jfr", ".platform", ".text", ".verbs"), Set.of(".config"), Set.of(".auth"),
            Set.of(".agent", ".counters", ".directory", ".op"),
            Set.of(".agent.thread", ".diagnosis", ".plugin"), Set.of(".device"),
            Set.of(".device.host", ".reduction"), Set.of(".progress"), Set.of(".transport"),
            Set.of(".service.message"), Set.of(".service"), Set.of(".runtime"))
            .map(layer -> layer.stream().map(name -> CORE + name).collect(Collectors.toSet())).toList();
    private static final Set<String> CORE_ONLY = Set.of(CORE);
    private static final Map<String, Set<String>> MODULES = Map.ofEntries(
            Map.entry(CORE, Set.of()),
            Map.entry("io.proxyrt.natives", CORE_ONLY),
            Map.entry("io.proxyrt.rpc", CORE_ONLY),
            Map.entry("io.proxyrt.uds", CORE_ONLY),
            Map.entry("io.proxyrt.transport.net", CORE_ONLY),
            Map.entry("io.proxyrt.transport.shm", CORE_ONLY),
            Map.entry("io.proxyrt.transport.p2p", CORE_ONLY),
            Map.entry("io.proxyrt.transport.collnet", CORE_ONLY),
            Map.entry("io.proxyrt.testkit", Set.of(CORE, "io.proxyrt.transport.collnet", "io.proxyrt.transport.net")),
            Map.entry("io.proxyrt.topology", CORE_ONLY),
            Map.entry("io.proxyrt.bootstrap", CORE_ONLY),
            Map.entry("io.proxyrt.tuner", Set.of(CORE, "io.proxyrt.topology")),
            Map.entry("io.proxyrt.collectives", Set.of(CORE, "io.proxyrt.bootstrap",
                    "io.proxyrt.topology")),
            Map.entry("io.proxyrt.metrics.micrometer", CORE_ONLY),
            Map.entry("io.proxyrt.cli", Set.of(CORE, "io.proxyrt.transport.net",
                    "io.proxyrt.transport.collnet", "io.proxyrt.topology", "io.proxyrt.bootstrap", "io.proxyrt.tuner",
                    "io.proxyrt.collectives")));
    private static final PackageArrows ARROWS = new PackageArrows();

    @BeforeAll
    static void read() throws IOException, ClassNotFoundException {
        for (String anchor : List.of("natives.LinuxPlatform", "rpc.RpcOptions", "uds.UdsOptions",
                "transport.net.NetOptions", "transport.shm.ShmOptions", "transport.p2p.P2pOptions",
                "transport.collnet.CollNetOptions", "topology.TopologyOptions",
                "testkit.ScriptedTransport", "bootstrap.Bootstrap", "tuner.TuningInput", "collectives.Communicator",
                "metrics.micrometer.CounterMeters",
                "cli.ProxyRt")) {
            ARROWS.add(Class.forName("io.proxyrt." + anchor));
        }
        ARROWS.add(ProxyState.class);
    }

    @Test
    void shouldUseOnlyLowerPackagesInCore() {
        assertEquals(List.of(), ARROWS.climbing(LAYERS));
        Set<String> known = LAYERS.stream().flatMap(Set::stream).collect(Collectors.toSet());
        assertEquals(known, ARROWS.packages().stream().filter(name -> (name + ".").startsWith(CORE + "."))
                .collect(Collectors.toSet()), "each package of core has its layer");
    }

    @Test
    void shouldUseOnlyModulesThatItMay() {
        assertEquals(List.of(), ARROWS.sideways(MODULES));
    }

    @Test
    void shouldHaveNoPackagesInACircle() throws IOException {
        assertEquals(List.of(), new PackageArrows().add(ProxyState.class).add(BenchCommand.class).circular());
        assertEquals(List.of(), ARROWS.circular());
    }

    @Test
    void shouldSeeAnArrowThatClimbs() {
        List<String> climbing = ARROWS.climbing(LAYERS.reversed());
        assertTrue(climbing.stream().anyMatch(arrow -> arrow.startsWith("io/proxyrt/core/runtime/")
                && arrow.contains(" -> io/proxyrt/core/")), climbing::toString);
        assertTrue(ARROWS.sideways(MODULES.keySet().stream().collect(Collectors.toMap(name -> name, name -> Set.of())))
                .stream().anyMatch(arrow -> arrow.startsWith("io/proxyrt/rpc/")));
    }
}

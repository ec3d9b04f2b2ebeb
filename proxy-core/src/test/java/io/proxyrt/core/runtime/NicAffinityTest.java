/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.runtime;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.agent.thread.CpuList;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.platform.HostFiles;
import io.proxyrt.core.platform.HostPages;
import io.proxyrt.core.platform.Platform;
import io.proxyrt.core.progress.ProxyTransport;
import io.proxyrt.core.progress.ProxyTransportProvider;
import io.proxyrt.core.progress.TransportAdapter;
import io.proxyrt.core.progress.TransportContext;
import java.lang.foreign.MemorySegment;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** On a host with two nodes: the adapter is on node 1, which has the CPUs 8 to 15. */
class NicAffinityTest {
    private static final TransportAdapter NIC =
            new TransportAdapter("mlx5_0", "/sys/devices/pci0000:80/0000:80:01.0/0000:81:00.0");

    @TempDir
    private Path folder;
    private HostFiles files;
    private String processCpus = "0-15";
    private String whyNot = "";
    private final Map<String, Object> pages = new HashMap<>(Map.of("nodes", new int[] {0, 1}, "map",
            MemorySegment.ofArray(new byte[1]), "bind", "done"));

    @BeforeEach
    void makeHost() {
        files = new HostFiles(folder).pci("pci0000:80/0000:80:01.0/0000:81:00.0", 1)
                .pci("pci0000:80/0000:80:02.0/0000:82:00.0", -1)
                .write("sys/devices/system/node/node0/cpulist", "0-7")
                .write("sys/devices/system/node/node1/cpulist", "8-15");
    }

    @Test
    void shouldTakeTheNodeOfTheAdapter() {
        NicAffinity affinity = of(NIC, Map.of());
        assertPlaced("8-15", "1", affinity);
        assertEquals("mlx5_0 is on NUMA node 1: threads on its CPUs 8-15, memory there", affinity.toString());
    }

    @Test
    void shouldKeepToTheCpusOfTheProcess() {
        processCpus = "6-9,12";
        assertPlaced("8-9,12", "1", of(NIC, Map.of()));
        assertPlaced("8-15", "1", of(NIC, Map.of("NCCL_IGNORE_CPU_AFFINITY", "1")));
    }

    @Test
    void shouldBindNothingWhereTheProcessHasNoneOfTheCpus() {
        processCpus = "0-3";
        assertNothing("none of its CPUs, 8-15, is among those of this process, 0-3", of(NIC, Map.of()));
        assertPlaced("8-15", "1", of(NIC, Map.of("NCCL_IGNORE_CPU_AFFINITY", "1")));
    }

    @Test
    void shouldBindNothingWhereTheNodeIsUnknown() {
        assertNothing("mlx5_1 is on no NUMA node that the system tells of", of(
                new TransportAdapter("mlx5_1", "/sys/devices/pci0000:80/0000:80:02.0/0000:82:00.0"), Map.of()));
        assertNothing("mlx5_2 is on no NUMA node that the system tells of", of(
                new TransportAdapter("mlx5_2", "/sys/devices/pci0000:80/0000:80:03.0/0000:83:00.0"), Map.of()));
        assertNothing("lo is virtual", of(new TransportAdapter("lo", ""), Map.of()));
    }

    @Test
    void shouldBindNothingWhereTheNodeIsOutOfReach() {
        pages.put("nodes", new int[] {0});
        assertNothing("this process may have memory on [0]", of(NIC, Map.of()));
        pages.put("nodes", new int[] {0, 1});
        files.write("sys/devices/system/node/node1/cpulist", "");
        assertNothing("which has no CPU", of(NIC, Map.of()));
        whyNot = "no native access";
        assertNothing("no native access", of(NIC, Map.of()));
    }

    @Test
    void shouldBindNothingWhereTheSystemTellsNothing() {
        pages.put("nodes", new ProxyException(ProxyResult.SYSTEM_ERROR, "cannot ask for NUMA nodes: EPERM"));
        NicAffinity affinity = of(NIC, Map.of());
        assertNothing("mlx5_0 is on NUMA node 1, and cannot ask for NUMA nodes: EPERM", affinity);
        assertTrue(affinity.isRefused());
    }

    @Test
    void shouldLeaveMemoryUnboundWhereTheSystemRefusesIt() {
        pages.put("bind", new ProxyException(ProxyResult.SYSTEM_ERROR, "cannot keep memory there: EPERM"));
        NicAffinity affinity = of(NIC, Map.of());
        assertPlaced("8-15", "", affinity);
        assertTrue(affinity.toString().endsWith("CPUs 8-15, memory is not bound: cannot keep memory there: EPERM"),
                affinity.toString());
        assertTrue(affinity.isRefused());
        NicAffinity decided = of(NIC, Map.of("PROXYRT_MEMORY_NUMA_NODE", "1"));
        assertPlaced("8-15", "1", decided);
        assertFalse(decided.isRefused());
    }

    @Test
    void shouldLeaveWhatTheUserHasDecided() {
        NicAffinity threads = of(NIC, Map.of("NCCL_PROXY_CPUSET", "3"));
        assertPlaced("3", "1", threads);
        assertTrue(threads.toString().endsWith("threads by proxyrt.cpuset, memory there"), threads.toString());
        NicAffinity memory = of(NIC, Map.of("PROXYRT_MEMORY_NUMA_NODE", "0"));
        assertPlaced("8-15", "0", memory);
        assertTrue(memory.toString().endsWith("CPUs 8-15, memory by proxyrt.memory.numa.node"), memory.toString());
    }

    @Test
    void shouldAskTheTransportsOnlyIfItIsAskedFor() {
        ProxyConfig off = ProxyConfig.builder().environment(Map.of()).build();
        assertSame(off, NicAffinity.of(off, 0, List.of(new Provider(NIC))).config());
        ProxyConfig on = off.with(CoreOptions.NIC_AFFINITY, true);
        assertNothing("no transport has a network adapter here", NicAffinity.of(on, 0, List.of(new Provider(null))));
    }

    private NicAffinity of(TransportAdapter adapter, Map<String, String> environment) {
        ProxyConfig asked = ProxyConfig.builder().environment(environment).set(CoreOptions.NIC_AFFINITY, true).build();
        return NicAffinity.of(asked, platform(), files.topology(), adapter);
    }

    private static void assertPlaced(String cpus, String node, NicAffinity affinity) {
        assertEquals(cpus, affinity.config().get(CoreOptions.CPUSET));
        assertEquals(node, affinity.config().get(CoreOptions.NUMA_NODE));
    }

    private static void assertNothing(String reason, NicAffinity affinity) {
        assertPlaced("", "", affinity);
        assertTrue(affinity.toString().startsWith("nothing is bound: ") && affinity.toString().contains(reason),
                affinity.toString());
    }

    private Platform platform() {
        return answering(Platform.class, Map.of("whyNot", whyNot, "processCpus", CpuList.parse(processCpus), "pages",
                answering(HostPages.class, pages)));
    }

    private static <T> T answering(Class<T> type, Map<String, Object> answers) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type},
                (proxy, method, arguments) -> {
                    Object answer = Optional.ofNullable(answers.get(method.getName())).orElseThrow();
                    if (answer instanceof ProxyException refusal) {
                        throw refusal;
                    }
                    return answer;
                }));
    }

    /** Of no transport, with an adapter or none; off, it must not be asked. */
    private record Provider(TransportAdapter adapter) implements ProxyTransportProvider {
        @Override
        public int id() {
            return 99;
        }

        @Override
        public String name() {
            return "none";
        }

        @Override
        public Optional<TransportAdapter> firstAdapter(ProxyConfig config, int rank) {
            assertTrue(config.get(CoreOptions.NIC_AFFINITY));
            return Optional.ofNullable(adapter);
        }

        @Override
        public ProxyTransport create(TransportContext context) {
            throw new AssertionError("it is asked for its adapter only");
        }
    }
}

/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.topology;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.platform.NvLink;
import io.proxyrt.core.platform.NvidiaDriver;
import io.proxyrt.core.platform.NvidiaGpu;
import io.proxyrt.core.platform.PciAddress;
import io.proxyrt.core.platform.Topology;
import io.proxyrt.core.progress.TransportAdapter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** When the driver of a host with two GPUs of NVIDIA is asked, and for how long its answer holds. */
class HostMachinesTest {
    private static final List<TransportAdapter> ADAPTERS = List.of(new TransportAdapter("eth0", ""));

    @TempDir
    Path root;

    private final List<Duration> asked = new ArrayList<>();
    private String problem = "";
    private boolean isSilent;
    private boolean isFinal = true;
    private HostMachines machines;

    @BeforeEach
    void host() throws IOException {
        for (String gpu : List.of("0000:11:00.0", "0000:21:00.0")) {
            Path folder = Files.createDirectories(root.resolve("sys/devices/pci" + gpu.substring(0, 7) + "/" + gpu));
            Files.writeString(folder.resolve("class"), "0x030200\n");
            Files.writeString(folder.resolve("vendor"), "0x10de\n");
            Path links = Files.createDirectories(root.resolve("sys/bus/pci/devices"));
            Files.createSymbolicLink(links.resolve(gpu), folder);
        }
        machines = new HostMachines(() -> Topology.of(root), () -> this::answer);
    }

    private NvidiaDriver.Answer answer(List<PciAddress> gpus, Duration patience) {
        asked.add(patience);
        NvidiaGpu gpu = new NvidiaGpu(gpus.getFirst(), 90, List.of(new NvLink("0000:21:00.0", 18, true)), 0, 0);
        return new NvidiaDriver.Answer(isSilent ? List.of() : List.of(gpu),
                problem.isEmpty() ? List.of() : List.of(problem), isFinal);
    }

    private static ProxyConfig config(String... settings) {
        ProxyConfig.Builder config = ProxyConfig.builder().environment(Map.of());
        for (int i = 0; i < settings.length; i += 2) {
            config.set(settings[i], settings[i + 1]);
        }
        return config.build();
    }

    @Test
    void shouldAskTheDriverOnceForRanksOnGpusAlone() {
        HostMachine without = machines.find(config(), ADAPTERS, false);
        assertEquals(List.of(), asked);
        assertFalse(without.xml().text().contains("nvlink"), without.xml().text());
        HostMachine with = machines.find(config("connect.timeout", "7s"), ADAPTERS, true);
        assertTrue(with.xml().text().contains("nvlink"), with.xml().text());
        assertSame(with, machines.find(config(), ADAPTERS, true));
        assertSame(without, machines.find(config(), ADAPTERS, false));
        assertEquals(List.of(Duration.ofSeconds(7)), asked);
    }

    /** Such as one that did not answer in time. */
    @Test
    void shouldAskADriverAgainThatMayTellMore() {
        isSilent = true;
        isFinal = false;
        problem = "NVML has not answered for 30 s";
        assertEquals(List.of(problem), machines.find(config(), ADAPTERS, true).xml().problems());
        isSilent = false;
        isFinal = true;
        problem = "";
        HostMachine now = machines.find(config(), ADAPTERS, true);
        assertEquals(List.of(), now.xml().problems());
        assertSame(now, machines.find(config(), ADAPTERS, true));
        assertEquals(2, asked.size());
    }

    @Test
    void shouldKeepWhatADriverToldOfSomeGpus() {
        problem = "a GPU is lost";
        HostMachine machine = machines.find(config(), ADAPTERS, true);
        assertEquals(List.of(problem), machine.xml().problems());
        assertSame(machine, machines.find(config(), ADAPTERS, true));
    }

    /** A container has some of its host's GPUs, or none, and may not have the driver's library. */
    @ParameterizedTest
    @ValueSource(strings = {"", "there is no libnvidia-ml.so.1"})
    void shouldKeepThatADriverToldNothingForGood(String why) {
        isSilent = true;
        problem = why;
        HostMachine machine = machines.find(config(), ADAPTERS, true);
        assertSame(machine, machines.find(config(), ADAPTERS, true));
        assertEquals(why.isEmpty() ? List.of() : List.of(why), machine.xml().problems());
        assertEquals(1, asked.size());
    }

    @Test
    void shouldLookOnceForAllPolicies() {
        HostMachine most = machines.find(config("topo.netdevs.policy", "MAX:1"), ADAPTERS, true);
        HostMachine usual = machines.find(config(), ADAPTERS, true);
        assertEquals(1, asked.size());
        assertNotSame(most, usual);
        assertEquals(most, usual.with(NetDevsPolicy.parse("MAX:1")));
    }

    @Test
    void shouldAskNoDriverWhereAFileTells() {
        Path file = root.resolve("machine.xml");
        Models.own("ring-4-nics-3").write(file);
        ProxyConfig config = config("topo.file", file.toString());
        assertSame(machines.find(config, ADAPTERS, true), machines.find(config, ADAPTERS, false));
        assertEquals(List.of(), asked);
    }
}

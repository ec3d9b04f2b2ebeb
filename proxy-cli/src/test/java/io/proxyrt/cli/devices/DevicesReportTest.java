/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.devices;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.proxyrt.cli.devices.DevicesView.Bus;
import io.proxyrt.cli.devices.DevicesView.Kind;
import io.proxyrt.cli.devices.DevicesView.Link;
import io.proxyrt.cli.devices.DevicesView.Opened;
import io.proxyrt.cli.devices.DevicesView.Port;
import io.proxyrt.cli.view.Destination;
import io.proxyrt.cli.view.Json;
import io.proxyrt.core.LinkType;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.device.DeviceCapability;
import io.proxyrt.core.device.DeviceLimits;
import io.proxyrt.core.platform.NvLink;
import io.proxyrt.core.platform.NvidiaDriver;
import io.proxyrt.core.platform.NvidiaGpu;
import io.proxyrt.core.platform.Topology;
import io.proxyrt.testkit.gpu.GpuAbi;
import io.proxyrt.testkit.gpu.StandInGpu;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DevicesReportTest {
    private static final DeviceLimits LIMITS = new DeviceLimits(132, 32, 3, 1024, 227 << 10, 2 << 20);
    private static final Port PORT = new Port("eth0", false, "0000:c2:00.0", 1, 100_000);

    @Test
    void shouldShowDevicesAndWhatJoinsThem() {
        String text = text(view());
        for (String line : new String[] {"cuda +driver 580, runtime 13\\.0", " +GDRCopy: not used, no library",
            "cuda:0 +Model A, sm_90, 139\\.8 GiB", "  bus +0000:c1:00\\.0, NUMA node 1, link 32 GT/s x16",
            "  kernels +132 processors, warps of 32, blocks of at most 1024 threads that share 227 KiB",
            "  copies +3 engines, shareable memory in pieces of 2 MiB", "  can +ipc_handles, peer_access",
            "  nvlinks +5 to switch 0000:03:00\\.0, 4 to GPU 0000:04:00\\.0",
            "  not opened +cuda:2: out of memory", "hip +none: no library",
            "Links +cuda:0 +cuda:1 +eth0", "  cuda:0 +X +NVL +PIX", "  cuda:1 +NVL +X +SYS",
            "  X the device itself; NVL NVLink; PIX one PCI .*; SYS .*",
            "  cuda:0 +reaches cuda:1's memory", "  cuda:1 +does not reach cuda:0's memory: it is disabled"}) {
            assertTrue(text.lines().anyMatch(found -> found.matches(line)), line + " is missing in " + text);
        }
    }

    @Test
    void shouldWriteTheSameForPrograms(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("devices.json");
        new Destination(file, null).write(Json.text(view()));
        String json = Files.readString(file).replaceAll("\\s+", "");
        for (String part : new String[] {"\"kind\":\"hip\",\"version\":\"\",\"whyNot\":\"nolibrary\"",
            "\"name\":\"cuda:0\",\"model\":\"ModelA\",\"architecture\":\"sm_90\",\"pciId\":\"0000:c1:00.0\"",
            "\"busGigatransfers\":32.0,\"busLanes\":16,\"processors\":132",
            "\"capabilities\":[\"IPC_HANDLES\",\"PEER_ACCESS\"]",
            "\"nvlinks\":[{\"target\":\"0000:03:00.0\",\"count\":5,\"isGpu\":false},"
                + "{\"target\":\"0000:04:00.0\",\"count\":4,\"isGpu\":true}]",
            "\"notes\":[\"GDRCopy:notused,nolibrary\"],\"problems\":[\"cuda:2:outofmemory\"]",
            "\"name\":\"eth0\",\"isRdma\":false,\"pciId\":\"0000:c2:00.0\",\"numaNode\":1,\"speedMbps\":100000",
            "\"from\":\"cuda:0\",\"to\":\"cuda:1\",\"type\":\"NVLINK\",\"isPeer\":true,\"whyNot\":\"\""}) {
            assertTrue(json.contains(part), part + " is missing in " + json);
        }
    }

    /** It begins the reason. */
    @Test
    void shouldTellTheVersionOnceWhereThereIsNoDevice() {
        Kind hip = new Kind("hip", "HIP 5.2.3", "HIP 5.2.3: no device", List.of(), List.of(), List.of());
        String text = text(new DevicesView(List.of(hip), List.of(), List.of()));
        assertTrue(text.strip().matches("hip +none: HIP 5\\.2\\.3: no device"), text);
    }

    @Test
    void shouldShowTheHostsOwnDeviceAtLeast() {
        DevicesView view = DevicesView.of(ProxyConfig.builder().build(), Topology.ofHost(),
                (gpus, patience) -> fail("no GPU of NVIDIA was opened"));
        assertEquals("host:0", view.kinds().getFirst().devices().getFirst().name());
        assertTrue(text(view).contains("plays the GPU with this host's memory and threads: ordinary pages"));
    }

    @Test
    void shouldOpenTheDevicesOfADriver() {
        assumeTrue(StandInGpu.whyNot().isEmpty(), StandInGpu::whyNot);
        StandInGpu gpu = StandInGpu.of(GpuAbi.CUDA);
        ProxyConfig config = ProxyConfig.builder().set(gpu.option(), gpu.folder().toString()).build();
        DevicesView view = DevicesView.of(config, Topology.ofHost(), (gpus, patience) -> new NvidiaDriver.Answer(
                List.of(new NvidiaGpu(gpus.getFirst(), 90, List.of(new NvLink("0000:03:00.0", 18, false)), 0, 0)),
                List.of("it has one"), true));
        assertEquals(List.of("cuda:0", "cuda:1"), view.driven());
        assertTrue(view.isWhole());
        String text = text(view);
        for (String line : new String[] {"cuda +.*13\\.0.*", "  cuda:0 +reaches cuda:1's memory",
            " +some NVLinks are not known: it has one", "  nvlinks +18 to switch 0000:03:00\\.0",
            "cuda:1 +\\S.*, sm_90, .* GiB", "  can +.*ipc_handles.*",
            "  cuda:0 +X +NVL.*", "  cuda:1 +NVL +X.*"}) {
            assertTrue(text.lines().anyMatch(found -> found.matches(line)), line + " is missing in " + text);
        }
        DevicesView untold = DevicesView.of(config, Topology.ofHost(),
                (gpus, patience) -> new NvidiaDriver.Answer(List.of(), List.of(), true));
        assertEquals(1, untold.kinds().stream().flatMap(kind -> kind.notes().stream()).filter(
                "NVLinks are not known: NVIDIA's driver does not give all of these GPUs to NVML"::equals).count());
    }

    @Test
    void shouldBeWholeIfEveryDeviceCouldBeOpened() {
        assertFalse(view().isWhole());
        Kind hip = view().kinds().getLast();
        assertTrue(new DevicesView(List.of(hip), List.of(), List.of()).isWhole());
    }

    private static DevicesView view() {
        Kind cuda = new Kind("cuda", "driver 580, runtime 13.0", "", List.of("GDRCopy: not used, no library"),
                List.of("cuda:2: out of memory"), List.of(device("cuda:0", "Model A"), device("cuda:1", "Model B")));
        Kind hip = new Kind("hip", "", "no library", List.of(), List.of(), List.of());
        return new DevicesView(List.of(cuda, hip), List.of(PORT), List.of(
                new Link("cuda:0", "cuda:0", LinkType.SELF, true, ""),
                new Link("cuda:0", "cuda:1", LinkType.NVLINK, true, ""),
                new Link("cuda:0", "eth0", LinkType.PIX, false, ""),
                new Link("cuda:1", "cuda:0", LinkType.NVLINK, false, "it is disabled"),
                new Link("cuda:1", "cuda:1", LinkType.SELF, true, ""),
                new Link("cuda:1", "eth0", LinkType.SYS, false, "")));
    }

    private static Opened device(String name, String model) {
        return new Opened(name, model, "sm_90", "0000:c1:00.0", 1, 150_110_000_000L, new Bus(32, 16), LIMITS,
                EnumSet.of(DeviceCapability.PEER_ACCESS, DeviceCapability.IPC_HANDLES),
                List.of(new NvLink("0000:03:00.0", 5, false), new NvLink("0000:04:00.0", 4, true)), "");
    }

    private static String text(DevicesView view) {
        StringWriter text = new StringWriter();
        new DevicesReport(new PrintWriter(text)).print(view);
        return text.toString();
    }
}

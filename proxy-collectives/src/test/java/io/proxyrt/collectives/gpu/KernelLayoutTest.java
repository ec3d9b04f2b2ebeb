/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives.gpu;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.proxyrt.core.CollFunction;
import io.proxyrt.core.DataType;
import io.proxyrt.core.Protocol;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.RedOp;
import io.proxyrt.core.device.Device;
import io.proxyrt.core.device.DeviceConnection;
import io.proxyrt.core.device.RecvMem;
import io.proxyrt.core.device.host.Devices;
import io.proxyrt.testkit.gpu.GpuAbi;
import io.proxyrt.testkit.gpu.StandInGpu;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;

/** Both sides have the same structures and numbers: a compiler says so. */
class KernelLayoutTest {
    private static final String COUNT = """
            template <typename... P>
            constexpr unsigned long parameters(void (*)(P...)) { return sizeof...(P); }
            """;

    @Test
    void shouldLayOutStructuresAsKernelsDo() {
        compile(COUNT + checks(Map.ofEntries(
                Map.entry("sizeof(Connection)", ConnectionTable.STRIDE),
                Map.entry("__builtin_offsetof(Connection, seen)", ConnectionTable.SEEN),
                Map.entry("__builtin_offsetof(Connection, peer)", ConnectionTable.PEER),
                Map.entry("__builtin_offsetof(Connection, sendMem)", ConnectionTable.SEND_MEM),
                Map.entry("__builtin_offsetof(Connection, recvMem)", ConnectionTable.RECV_MEM),
                Map.entry("__builtin_offsetof(Connection, buffers)", ConnectionTable.BUFFERS),
                Map.entry("__builtin_offsetof(Connection, stepBytes)", ConnectionTable.STEP_BYTES),
                Map.entry("__builtin_offsetof(Connection, directProtocols)", ConnectionTable.DIRECT),
                Map.entry("__builtin_offsetof(Connection, isShared)", ConnectionTable.SHARED),
                Map.entry("__builtin_offsetof(Connection, places)", ConnectionTable.PLACES),
                Map.entry("sizeof(Place)", PlaceTable.STRIDE),
                Map.entry("sizeof(Status)", LaunchStatus.BLOCK_BYTES),
                Map.entry("__builtin_offsetof(Status, moves)", LaunchStatus.MOVES),
                Map.entry("__builtin_offsetof(Status, launch)", LaunchStatus.LAUNCH),
                Map.entry("__builtin_offsetof(Status, reason)", LaunchStatus.REASON),
                Map.entry("__builtin_offsetof(Status, awaited)", LaunchStatus.AWAITED),
                Map.entry("__builtin_offsetof(Status, step)", LaunchStatus.STEP),
                Map.entry("__builtin_offsetof(Status, peer)", LaunchStatus.PEER),
                Map.entry("DONE_WORDS * sizeof(u64)", LaunchStatus.BLOCKS - LaunchStatus.DONE),
                Map.entry("parameters(proxyrtRing)",
                        (long) LaunchArguments.COMMON + DevicePrograms.RING_ARGUMENTS),
                Map.entry("parameters(proxyrtMessage)",
                        (long) LaunchArguments.COMMON + DevicePrograms.MESSAGE_ARGUMENTS))));
    }

    @Test
    void shouldTakeAsManyParametersByTrees() {
        compile(KernelSource.trees(DataType.FLOAT32, RedOp.SUM), COUNT + checks(Map.of("parameters(proxyrtTree)",
                (long) LaunchArguments.COMMON + DevicePrograms.TREE_ARGUMENTS,
                "TreePlace::NONE", 0xffffL)));
    }

    @Test
    void shouldNumberThingsAsKernelsDo() {
        compile(checks(Map.of("STEPS", (long) DeviceConnection.STEPS,
                "ABORTED", LaunchStatus.ABORTED,
                "LL", (long) Protocol.LL.ordinal(),
                "LL128", (long) Protocol.LL128.ordinal(),
                "SIMPLE", (long) Protocol.SIMPLE.ordinal(),
                "BROADCAST", (long) CollFunction.BROADCAST.ordinal(),
                "ALL_GATHER", (long) CollFunction.ALL_GATHER.ordinal(),
                "REDUCE_SCATTER", (long) CollFunction.REDUCE_SCATTER.ordinal(),
                "REDUCE", (long) CollFunction.REDUCE.ordinal(),
                "ALL_REDUCE", (long) CollFunction.ALL_REDUCE.ordinal()))
                + checks(Map.of("DISAGREED", LaunchStatus.DISAGREED, "MODE_PTR", (long) RecvMem.MODE_PTR,
                "PLACES", (long) PlaceTable.PLACES, "PLACE_PROBES", (long) PlaceTable.PROBES)));
    }

    /** So that the tests above are known to be able to fail. */
    @Test
    void shouldFailToCompileWhereTheTwoDiffer() {
        String log = Assertions.assertThrows(ProxyException.class,
                () -> compile(checks(Map.of("sizeof(Status)", LaunchStatus.BLOCK_BYTES + 1)))).getMessage();
        assertTrue(log.contains("static assertion failed"), log);
    }

    private static String checks(Map<String, Long> expected) {
        return expected.entrySet().stream().map(each -> "static_assert((unsigned long) (" + each.getKey() + ") == "
                + each.getValue() + ", \"as in Java\");\n").sorted().collect(Collectors.joining());
    }

    private static void compile(String checks) {
        compile(KernelSource.of(DataType.FLOAT32, RedOp.SUM), checks);
    }

    private static void compile(String source, String checks) {
        assumeTrue(StandInGpu.whyNot().isEmpty(), StandInGpu::whyNot);
        try (Device device = Devices.open("cuda:0", 0, StandInGpu.of(GpuAbi.CUDA).config())) {
            device.compile("layout", source + checks).close();
        }
    }
}

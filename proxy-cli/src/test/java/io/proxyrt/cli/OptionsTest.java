/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.cli.perf.Collective;
import io.proxyrt.cli.perf.PerfOp;
import io.proxyrt.cli.perf.PerfPlan;
import io.proxyrt.cli.perf.Sizes;
import io.proxyrt.collectives.Algorithm;
import io.proxyrt.collectives.Allowed;
import io.proxyrt.collectives.CollectivesOptions;
import io.proxyrt.core.DataType;
import io.proxyrt.core.ThreadingMode;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.transport.net.NetOptions;
import io.proxyrt.transport.net.SocketOptions;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

class OptionsTest {
    @Test
    void shouldHaveDefaultsAsDocumented() {
        assertEquals(new PerfPlan(Collective.ALL_REDUCE, new Sizes(8, 16 << 20, 2, 0),
                new PerfPlan.Loops(20, 5, 1, 1, 0),
                List.of(DataType.FLOAT32), List.of(PerfOp.SUM), List.of(0), PerfPlan.Average.AVERAGE,
                Duration.ofSeconds(3)), plan("all_reduce"));
    }

    @Test
    void shouldUnderstandTheFlagsOfNcclTests() {
        assertEquals(new PerfPlan(Collective.BROADCAST, new Sizes(1024, 1 << 20, 4, 0),
                new PerfPlan.Loops(7, 3, 2, 5, 0), List.of(DataType.BFLOAT16), List.of(PerfOp.AVG), List.of(2),
                PerfPlan.Average.MAX, Duration.ZERO),
                plan("broadcast -b 1K -e 1M -f 4 -n 7 -w 3 -c 2 -m 5 -d bfloat16 -o avg -r 2 -a 3 "
                        + "--jit-warmup 0"));
        assertEquals(plan("broadcast -b 1K -e 1M -i 1K -n 7 -w 3"),
                plan("broadcast_perf --minbytes 1024 --maxbytes 1M --stepbytes 1024 --iters 7 --warmup_iters=3"));
    }

    @Test
    void shouldGoThroughAllTypesReductionsAndRoots() {
        assertEquals(List.of(DataType.values()), plan("all_reduce -d all").types());
        assertEquals(List.of(PerfOp.values()), plan("all_reduce -o all").ops());
        assertEquals(List.of(0, 1, 2, 3), plan("broadcast -r all").roots());
        assertEquals(List.of(DataType.FLOAT16), plan("all_reduce -d float16").types());
        assertEquals(List.of(DataType.FLOAT16), plan("all_reduce -d HALF").types());
    }

    @Test
    void shouldLeaveTheThreadingToTheRuntime() {
        assertEquals(ThreadingMode.AUTO, config("").get(CoreOptions.THREADING));
        assertEquals(ThreadingMode.AUTO, config("--threading auto").get(CoreOptions.THREADING));
    }

    @Test
    void shouldTakeTheThreadingThatIsAskedFor() {
        assertEquals(ThreadingMode.SHARED, config("--threading shared").get(CoreOptions.THREADING));
        assertEquals(ThreadingMode.SHARED_CONTROL,
                config("--threading shared-control").get(CoreOptions.THREADING));
        assertEquals(ThreadingMode.SHARED, config("--set threading=shared").get(CoreOptions.THREADING));
    }

    @Test
    void shouldPreferItsOwnFlagsToSettings() {
        ProxyConfig config = config("--set coll.channels=2 --channels 3 --set buffer.bytes=64K --timeout 7 "
                + "--transport net");
        assertEquals(3, config.get(CollectivesOptions.CHANNELS));
        assertEquals(65_536, config.get(CoreOptions.BUFFER_BYTES));
        assertEquals(Duration.ofSeconds(7), config.get(CollectivesOptions.TIMEOUT));
        assertEquals("net", config.get(CollectivesOptions.TRANSPORT));
    }

    @Test
    void shouldTakeTransportNetForANetworkThatIsAskedFor() {
        ProxyConfig config = config("--net ib");
        assertEquals("ib", config.get(NetOptions.NET));
        assertEquals("NET", config.get(CollectivesOptions.TRANSPORT));
        assertEquals("ib", config("--net ib --transport net").get(NetOptions.NET));
        assertThrows(IllegalArgumentException.class, () -> config("--net ib --transport SHM"));
    }

    @Test
    void shouldLetTheNetworkCarryOutCollectivesIfThatIsTheAlgorithm() {
        ProxyConfig direct = config("--algo collnetdirect --set coll.collnet.enable=0");
        assertEquals(Allowed.only(Algorithm.COLLNETDIRECT), direct.get(CollectivesOptions.ALGORITHM));
        assertTrue(direct.get(CollectivesOptions.COLLNET_ENABLE));
        ProxyConfig ring = config("--algo RING --set coll.algo=doubling");
        assertEquals(Allowed.only(Algorithm.RING), ring.get(CollectivesOptions.ALGORITHM));
        assertFalse(ring.get(CollectivesOptions.COLLNET_ENABLE));
        assertEquals(Allowed.all(Algorithm.class), config("").get(CollectivesOptions.ALGORITHM));
    }

    @Test
    void shouldKeepWhatACommandPrefersBehindWhatTheUserSays() {
        RuntimeOptions options = new RuntimeOptions();
        new CommandLine(new Holder(options)).parseArgs("--set", "net.socket.checksum=0");
        options.prefer("proxyrt.net.socket.checksum", "1");
        options.prefer("proxyrt.coll.channels", "2");
        ProxyConfig config = options.config();

        assertEquals(0, config.get(SocketOptions.CHECKSUM));
        assertEquals(2, config.get(CollectivesOptions.CHANNELS));
    }

    @Test
    void shouldCheckTheTransportHoweverItIsSet() {
        assertThrows(IllegalArgumentException.class, () -> config("--set coll.transport=PIGEON"));
    }

    private static PerfPlan plan(String arguments) {
        PlanOptions options = new PlanOptions();
        new CommandLine(new Holder(options)).parseArgs(arguments.split(" "));
        return options.plan(4);
    }

    private static ProxyConfig config(String arguments) {
        RuntimeOptions options = new RuntimeOptions();
        new CommandLine(new Holder(options)).parseArgs(arguments.isEmpty() ? new String[0] : arguments.split(" "));
        return options.config();
    }

    @CommandLine.Command
    private static final class Holder {
        @CommandLine.Mixin
        private final Object options;

        Holder(Object options) {
            this.options = options;
        }
    }
}

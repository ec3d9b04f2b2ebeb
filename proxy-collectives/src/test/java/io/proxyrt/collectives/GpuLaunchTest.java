/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.proxyrt.core.DataType;
import io.proxyrt.core.Protocol;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.RedOp;
import io.proxyrt.core.ThreadingMode;
import io.proxyrt.core.config.ProxyConfig;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Launches that the caller does not wait for: more than a stream holds, and such as follow one that failed. */
class GpuLaunchTest {
    private static final int LAUNCHES = 150;

    @TempDir
    Path directory;

    /** Who launches drives the proxy too, which kernels need: so it must not get stuck for room in the stream. */
    @Test
    void shouldLaunchMoreThanAStreamHolds() throws Exception {
        List<ProxyConfig> configs = List.of(config("NET", 0).build(), config("NET", 1).build());
        assertEquals(Arrays.asList(null, null), InProcessRanks.failures(configs, comm -> {
            MemorySegment buffer = comm.allocate(Integer.BYTES).range();
            for (int i = 0; i < LAUNCHES; i++) {
                comm.allReduce(buffer, buffer, 1, DataType.INT32, RedOp.MAX);
            }
            comm.synchronize();
        }));
    }

    /** Else the peer would take what was launched after it for what it should have got. */
    @ParameterizedTest
    @ValueSource(longs = {8, 40_000})
    void shouldMoveNothingAfterALaunchThatGaveUp(long bytes) throws Exception {
        CountDownLatch hasReceived = new CountDownLatch(1);
        List<ProxyConfig> configs = List.of(
                config("SHM", 0).set(CollectivesOptions.GPU_TIMEOUT, Duration.ofMillis(50)).build(),
                config("SHM", 1).build());
        InProcessRanks.failures(configs, comm -> {
            MemorySegment buffer = comm.allocate(bytes).range();
            comm.recv(buffer, 1 - comm.rank());
            if (comm.rank() == 0) {
                comm.send(buffer, 1);
                hasReceived.await(500, TimeUnit.MILLISECONDS);
                assertThrows(ProxyException.class, comm::synchronize);
            } else {
                comm.synchronize();
                hasReceived.countDown();
            }
        });
        assertFalse(hasReceived.getCount() == 0, "a message came from behind one that never did");
    }

    /** What a rank did not get it does not pass on either. */
    @ParameterizedTest
    @EnumSource(names = {"LL", "LL128"})
    void shouldPassNothingOnThatNeverCame(Protocol protocol) throws Exception {
        CountDownLatch hasReceived = new CountDownLatch(1);
        List<ProxyConfig> configs = IntStream.range(0, 3).mapToObj(rank -> config("SHM", rank)
                .set(CollectivesOptions.PROTOCOL, Allowed.only(protocol))
                .set(CollectivesOptions.GPU_TIMEOUT, Duration.ofMillis(rank == 1 ? 50 : 20_000)).build()).toList();
        InProcessRanks.failures(configs, comm -> {
            if (comm.rank() == 0) {
                return;
            }
            MemorySegment buffer = comm.allocate(64).range();
            comm.broadcast(buffer, buffer, 64, DataType.INT8, 0);
            if (comm.rank() == 1) {
                hasReceived.await(500, TimeUnit.MILLISECONDS);
            }
            comm.synchronize();
            hasReceived.countDown();
        });
        assertFalse(hasReceived.getCount() == 0, "rank 2 got what rank 0 never sent");
    }

    private ProxyConfig.Builder config(String transport, int rank) {
        return GpuRanks.config(directory, ThreadingMode.INVOKER, transport, rank).set(CollectivesOptions.CHANNELS, 1);
    }
}

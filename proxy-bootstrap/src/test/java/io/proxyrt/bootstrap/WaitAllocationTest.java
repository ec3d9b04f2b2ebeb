/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bootstrap;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.sun.management.ThreadMXBean;
import io.proxyrt.core.ThreadingMode;
import io.proxyrt.core.device.HostStream;
import io.proxyrt.core.device.MessageKernel;
import io.proxyrt.core.device.MessageSteps;
import io.proxyrt.core.op.OpsPoster;
import io.proxyrt.core.runtime.OpPlan;
import io.proxyrt.core.runtime.StreamWait;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a rank does for each exchange, once everything is compiled: plans appended, a kernel launched, a wait. */
class WaitAllocationTest {
    private static final int EXCHANGES = 500;
    private static final int CONTROL_PASSES = 25_000;
    private static final int MAX_ROUNDS = 1_000;
    /** In a row, without a byte at any rank. */
    private static final int STILL_ROUNDS = 3;

    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    @TempDir
    private Path directory;

    @ParameterizedTest
    @CsvSource({"DEDICATED, NET", "INVOKER, NET", "DEDICATED, SHM", "INVOKER, SHM"})
    void shouldAllocateNothingPerWait(ThreadingMode mode, String transport) throws Exception {
        InProcessRanks.run(2, InProcessRanks.config(directory, mode).build(),
                runtime -> new Exchanges(runtime, transport).assertNoneAllocated());
    }

    private final class Exchanges {
        private final RankRuntime runtime;
        private final OpPlan send;
        private final OpPlan recv;
        private final MessageKernel kernel;
        private final HostStream stream;
        private final OpsPoster poster;
        private final StreamWait wait;
        private long count;

        Exchanges(RankRuntime runtime, String transport) {
            PeerLink link = runtime.connect(transport, 1 - runtime.rank()).getFirst();
            MemorySegment message = Arena.ofAuto().allocate(Long.BYTES);
            this.runtime = runtime;
            this.send = OpPlan.of(link.send(), Long.BYTES);
            this.recv = OpPlan.of(link.recv(), Long.BYTES);
            this.kernel = new MessageKernel(List.of(MessageSteps.sending(link.send().device(), message),
                    MessageSteps.receiving(link.recv().device(), Arena.ofAuto().allocate(Long.BYTES))));
            this.stream = runtime.proxy().stream("stream");
            this.poster = runtime.proxy().poster();
            this.wait = runtime.waitFor(stream, poster);
        }

        void assertNoneAllocated() {
            // What waits drive seldom would take long to be compiled.
            for (int i = 0; i < CONTROL_PASSES && runtime.proxy().isInvoker(); i++) {
                runtime.proxy().invokeAll();
            }
            int still = 0;
            long bytes = 0;
            for (int round = 0; round < MAX_ROUNDS && still < STILL_ROUNDS; round++) {
                long before = threads.getCurrentThreadAllocatedBytes();
                exchange();
                bytes = threads.getCurrentThreadAllocatedBytes() - before;
                still = isAnyAllocated(bytes) ? 0 : still + 1;
            }
            assertEquals(STILL_ROUNDS, still, bytes + " bytes in the last round");
        }

        private void exchange() {
            for (int i = 0; i < EXCHANGES; i++) {
                send.append(poster, count << 1 | 1);
                recv.append(poster, count << 1 | 1);
                count++;
                poster.post();
                stream.launch(kernel);
                wait.await(InProcessRanks.TIMEOUT);
            }
        }

        /** At any rank: their rounds have to end together. */
        private boolean isAnyAllocated(long bytes) {
            for (byte[] one : runtime.bootstrap().allGather(new byte[] {(byte) (bytes == 0 ? 0 : 1)},
                    InProcessRanks.TIMEOUT)) {
                if (one[0] != 0) {
                    return true;
                }
            }
            return false;
        }
    }
}

/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.proxyrt.core.DataType;
import io.proxyrt.core.RedOp;
import io.proxyrt.core.ThreadingMode;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.testkit.Await;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A communicator of GPUs has kernels compiled that nothing was asked of yet. */
class CompileAheadTest {
    private static final int RANKS = 2;
    private static final int ELEMENTS = 1000;

    @TempDir
    Path directory;

    private final ReductionList usual = CollectivesOptions.GPU_COMPILE_AHEAD.defaultValue();

    @Test
    void shouldHaveCompiledTheUsualReductions() throws Exception {
        assertEquals("sum-float,sum-bfloat16,sum-half", usual.toString());
        // And what reduces nothing.
        run(usual, 4, DataType.BFLOAT16, 4);
    }

    @Test
    void shouldCompileNothingThatIsNotNeededIfSoAsked() throws Exception {
        run(ReductionList.parse("none"), 1, DataType.FLOAT16, 2);
    }

    /** All-reduces when the cache has as many files as it should have before that; and counts them again. */
    private void run(ReductionList ahead, int before, DataType type, int after) throws Exception {
        List<ProxyConfig> configs = IntStream.range(0, RANKS).mapToObj(rank -> config(rank, ahead)).toList();
        assertEquals(Arrays.asList(null, null), InProcessRanks.failures(configs, comm -> {
            Await.until(() -> files() == before, () -> files() + " compiled kernels");
            comm.barrier();
            assertArrayEquals(elements(type, 1 + 2), sum(comm, type));
            assertEquals(after, files());
        }));
    }

    private static short[] sum(Communicator comm, DataType type) {
        MemorySegment elements = MemorySegment.ofArray(elements(type, 1 + comm.rank()));
        try (RankBuffer buffer = new RankBuffer(comm, elements.byteSize())) {
            buffer.write(elements);
            comm.allReduce(buffer.range(), buffer.range(), ELEMENTS, type, RedOp.SUM);
            comm.synchronize();
            return buffer.read(elements.byteSize()).toArray(ValueLayout.JAVA_SHORT);
        }
    }

    private static short[] elements(DataType type, int value) {
        short[] elements = new short[ELEMENTS];
        Arrays.fill(elements, (short) type.toBits(value));
        return elements;
    }

    private ProxyConfig config(int rank, ReductionList ahead) {
        return GpuRanks.config(directory, ThreadingMode.INVOKER, "SHM", rank).set(CollectivesOptions.CHANNELS, 1)
                .set(CollectivesOptions.GPU_COMPILE_AHEAD, ahead)
                .set("proxyrt.gpu.kernel.cache", cache().toString()).build();
    }

    private Path cache() {
        return directory.resolve("kernels");
    }

    /** A file that is not whole has another name, which goes when it is. */
    private long files() {
        if (!Files.exists(cache())) {
            return 0;
        }
        try (Stream<Path> files = Files.list(cache())) {
            return files.filter(file -> file.toString().endsWith(".kernel")).count();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}

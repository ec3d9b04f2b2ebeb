/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.natives.plugin;

import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.Subsystem;
import io.proxyrt.core.plugin.TunerLibrary;
import io.proxyrt.natives.CCalls;
import io.proxyrt.natives.CFunction;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * {@code ncclTuner_v2} to {@code _v6}: {@code src/include/plugin/tuner} of NCCL. A name, init, getCollInfo and
 * finalize, which is called destroy before version 5; from version 6 on a getChunkSize behind it, which may be NULL.
 */
final class TunerBinding implements TunerLibrary {
    static final String PREFIX = "ncclTunerPlugin_v";
    static final int NEWEST = 6;
    static final int OLDEST = 2;

    private static final int SINCE_TIMES = 3;
    private static final int SINCE_REGISTERED = 4;
    private static final int SINCE_CONSTANTS = 5;
    private static final int SINCE_CHUNKS = 6;
    private static final int COLLNET_CHAIN_SIMPLE = 3 * PROTOCOLS + 2;
    private static final int NVLS_SIMPLE = 4 * PROTOCOLS + 2;
    private static final int NVLS_TREE_SIMPLE = 5 * PROTOCOLS + 2;
    private static final MethodHandle CALL_8 = CCalls.link(8);
    private static final MethodHandle CALL_9 = CCalls.link(9);

    private final PlugIn plugIn;
    private final int version;
    private final CFunction init;
    private final CFunction collInfo;
    private final CFunction finish;
    private final CFunction chunkSize;

    TunerBinding(String file, TableReader reader) {
        version = reader.version();
        plugIn = new PlugIn(file, "ncclTuner_v" + version, reader.name(), Subsystem.TUNING);
        init = reader.need(8, TableReader.INIT);
        collInfo = reader.need(16, "getCollInfo");
        finish = reader.need(24, version < SINCE_CONSTANTS ? "destroy" : "finalize");
        chunkSize = reader.find(SINCE_CHUNKS, 32, "getChunkSize");
        reader.check();
    }

    @Override
    public int version() {
        return version;
    }

    @Override
    public String file() {
        return plugIn.file();
    }

    @Override
    public String name() {
        return plugIn.name();
    }

    @Override
    public String lastWarning() {
        return plugIn.logger().lastWarning();
    }

    @Override
    public long init(long commId, long ranks, long nodes, int[] domains, double[] constants) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment context = arena.allocate(JAVA_LONG);
            long logger = plugIn.logger().address();
            if (version < SINCE_CONSTANTS) {
                plugIn.check(init, CCalls.call(init, ranks, nodes, logger, context.address()));
            } else {
                MemorySegment numbers = arena.allocateFrom(JAVA_DOUBLE, constants);
                plugIn.check(init, CCalls.call(init, context.address(), commId, ranks, nodes, logger,
                        arena.allocateFrom(JAVA_INT, domains).address(), numbers.address()));
                MemorySegment.copy(numbers, JAVA_DOUBLE, 0, constants, 0, constants.length);
            }
            return context.get(JAVA_LONG, 0);
        }
    }

    @Override
    public int collInfo(long context, int function, long bytes, int pipeOps, boolean isRegistered, float[] times) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment words = arena.allocate(JAVA_INT, 3);
            if (version < SINCE_TIMES) {
                name(context, function, bytes, pipeOps, words, times);
            } else {
                MemorySegment table = arena.allocateFrom(JAVA_FLOAT, times);
                plugIn.check(collInfo, change(context, function, bytes, pipeOps, isRegistered, table, words));
                MemorySegment.copy(table, JAVA_FLOAT, 0, times, 0, times.length);
            }
            return words.get(JAVA_INT, 0);
        }
    }

    private int change(long context, int function, long bytes, int pipeOps, boolean isRegistered, MemorySegment table,
            MemorySegment channels) {
        try {
            return version < SINCE_REGISTERED
                    ? (int) CALL_8.invokeExact(collInfo.address(), context, (long) function, bytes, (long) pipeOps,
                            table.address(), (long) ALGORITHMS, (long) PROTOCOLS, channels.address())
                    : (int) CALL_9.invokeExact(collInfo.address(), context, (long) function, bytes, (long) pipeOps,
                            table.address(), (long) ALGORITHMS, (long) PROTOCOLS, isRegistered ? 1L : 0L,
                            channels.address());
        } catch (Throwable t) {
            throw CCalls.failure(collInfo, t);
        }
    }

    /** It is told whether there is CollNet and NVLS, and names an algorithm and a protocol, or neither. */
    private void name(long context, int function, long bytes, int pipeOps, MemorySegment words, float[] times) {
        MemorySegment algorithm = words.asSlice(4, 4);
        MemorySegment protocol = words.asSlice(8, 4);
        algorithm.set(JAVA_INT, 0, -1);
        protocol.set(JAVA_INT, 0, -1);
        plugIn.check(collInfo, callOldest(context, function, bytes, pipeOps, words, times));
        int a = algorithm.get(JAVA_INT, 0);
        int p = protocol.get(JAVA_INT, 0);
        if (a == -1 && p == -1) {
            return;
        }
        if (a < 0 || a >= ALGORITHMS || p < 0 || p >= PROTOCOLS) {
            throw new ProxyException(ProxyResult.INVALID_USAGE, plugIn.describe(collInfo) + " named algorithm " + a
                    + " and protocol " + p + "; there are " + ALGORITHMS + " and " + PROTOCOLS);
        }
        int way = a * PROTOCOLS + p;
        times[way] = times[way] < 0 ? times[way] : 0;
    }

    private int callOldest(long context, int function, long bytes, int pipeOps, MemorySegment words, float[] times) {
        // As NCCL does for these plug-ins.
        long hasCollNet = times[COLLNET_CHAIN_SIMPLE] < 0 ? 0 : 1;
        long hasNvls = times[NVLS_SIMPLE] < 0 && times[NVLS_TREE_SIMPLE] < 0 ? 0 : 1;
        try {
            return (int) CALL_9.invokeExact(collInfo.address(), context, (long) function, bytes, hasCollNet, hasNvls,
                    (long) pipeOps, words.address() + 4, words.address() + 8, words.address());
        } catch (Throwable t) {
            throw CCalls.failure(collInfo, t);
        }
    }

    @Override
    public long chunkSize(long context, int function, long bytes, int algorithm, int protocol, int channels,
            long chunk) {
        if (!chunkSize.exists()) {
            return chunk;
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment size = arena.allocateFrom(JAVA_LONG, chunk);
            plugIn.check(chunkSize, CCalls.call(chunkSize, context, function, bytes, algorithm, protocol, channels,
                    size.address()));
            return size.get(JAVA_LONG, 0);
        }
    }

    @Override
    public void finish(long context) {
        plugIn.check(finish, CCalls.call(finish, context));
    }
}

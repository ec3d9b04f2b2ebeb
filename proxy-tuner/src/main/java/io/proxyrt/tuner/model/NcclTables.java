/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.tuner.model;

import io.proxyrt.core.Protocol;
import io.proxyrt.tuner.NcclAlgorithm;
import io.proxyrt.tuner.TunerConstants;
import io.proxyrt.tuner.TunerConstants.Generation;
import io.proxyrt.tuner.TunerConstants.Limit;
import io.proxyrt.tuner.TunerConstants.Link;
import io.proxyrt.tuner.Way;
import java.util.Locale;
import java.util.stream.DoubleStream;
import java.util.stream.Stream;

/** {@code nccl.table}. */
final class NcclTables {
    private static final int CORRECTIONS = 23;
    private static final int PROTOCOLS = Protocol.values().length;

    private final TunerConstants constants;
    private final double[][] treeCorrections = new double[PROTOCOLS][];
    private final double[] nvlsEfficiency;
    private final double[] bufferBytes;
    private final double[] maxThreads;
    private final double[] bytesOfThread;
    private final int bytesOfCollNetThread;
    private final int allThreads;
    private final int batch;

    private NcclTables(TableFile file) {
        constants = constants(file);
        for (Protocol protocol : Protocol.values()) {
            treeCorrections[protocol.ordinal()] = file.numbers("correction.tree." + label(protocol), CORRECTIONS);
        }
        nvlsEfficiency = file.numbers("nvls.efficiency", Generation.values().length);
        bufferBytes = file.numbers("buffer", PROTOCOLS);
        maxThreads = file.numbers("threads.max", PROTOCOLS);
        bytesOfThread = file.numbers("threads.bytes", PROTOCOLS);
        bytesOfCollNetThread = file.integer("threads.bytes.collnet");
        allThreads = file.integer("threads.all");
        batch = file.integer("batch");
        file.requireAllRead();
    }

    /** Loaded when it is first asked for. */
    static NcclTables get() {
        return Loaded.TABLES;
    }

    private static TunerConstants constants(TableFile file) {
        DoubleStream base = rows(file, "base.");
        DoubleStream steps = Stream.of(Link.values())
                .flatMapToDouble(link -> rows(file, "latency." + label(link) + "."));
        DoubleStream limits = Stream.of(Limit.values()).flatMapToDouble(limit -> Stream.of(Generation.values())
                .flatMapToDouble(generation -> DoubleStream.of(file.numbers(
                        "bandwidth." + label(limit) + "." + label(generation), 3))));
        return TunerConstants.of(DoubleStream.concat(base, DoubleStream.concat(steps, limits)).toArray());
    }

    private static DoubleStream rows(TableFile file, String prefix) {
        return Stream.of(NcclAlgorithm.values())
                .flatMapToDouble(algorithm -> DoubleStream.of(file.numbers(prefix + algorithm.label(), PROTOCOLS)));
    }

    static String label(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT).replace("_", "");
    }

    TunerConstants constants() {
        return constants;
    }

    /** A factor of a tree's bandwidth; 1 for sizes that have none. */
    double treeCorrection(Protocol protocol, int sizeClass) {
        return sizeClass < 0 || sizeClass >= CORRECTIONS ? 1 : treeCorrections[protocol.ordinal()][sizeClass];
    }

    double nvlsEfficiency(Generation generation) {
        return nvlsEfficiency[generation.ordinal()];
    }

    long bufferBytes(Protocol protocol) {
        return (long) bufferBytes[protocol.ordinal()];
    }

    int batch() {
        return batch;
    }

    int allThreads() {
        return allThreads;
    }

    int maxThreads(Way way) {
        return switch (way.algorithm()) {
            case RING, TREE -> (int) maxThreads[way.protocol().ordinal()];
            default -> allThreads;
        };
    }

    /** How many bytes a thread has to have. */
    double bytesOfThread(Way way, int ranks) {
        return switch (way.algorithm()) {
            case COLLNET_DIRECT, COLLNET_CHAIN -> bytesOfCollNetThread;
            case RING -> bytesOfThread[way.protocol().ordinal()] * (way.protocol() == Protocol.LL ? ranks : 1);
            default -> bytesOfThread[way.protocol().ordinal()];
        };
    }

    private static final class Loaded {
        static final NcclTables TABLES = new NcclTables(TableFile.load("nccl.table"));

        private Loaded() {
        }
    }
}

/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.tuner.model;

import io.proxyrt.core.CollFunction;
import io.proxyrt.core.Protocol;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.tuner.TuningInput;
import io.proxyrt.tuner.Way;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What RCCL knows of an architecture beside its tuning model: {@code architectures.table}. Immutable; any thread. */
final class RcclArchitecture {
    private static final String RDNA4 = "gfx12";
    private static final String LL128 = "ll128";
    private static final int PROTOCOLS = Protocol.values().length;

    private final String name;
    private final int model;
    private final boolean hasLl128;
    private final double[] baseLatencies;
    private final double[] maxChannels;
    private final double[] threads;
    private final double[] bytesOfThread;
    private final int bytesOfCollNetThread;
    private final double[] bufferBytes;
    private final Map<CollFunction, Double> mostBytesOfLl = new EnumMap<>(CollFunction.class);
    private final Map<CollFunction, double[]> bytesOfTreeLl = new EnumMap<>(CollFunction.class);

    private RcclArchitecture(String name, TableFile file) {
        this.name = name;
        model = file.integer("model." + name);
        hasLl128 = file.words(LL128).contains(name);
        baseLatencies = file.numbers("base", PROTOCOLS);
        maxChannels = own(file, "channels", 2);
        threads = own(file, "threads", PROTOCOLS);
        bytesOfThread = file.numbers("threads.bytes", PROTOCOLS);
        bytesOfCollNetThread = file.integer("threads.bytes.collnet");
        bufferBytes = own(file, "buffer", PROTOCOLS);
        for (CollFunction function : TuningInput.FUNCTIONS) {
            String label = "." + NcclTables.label(function);
            file.find("ll." + (isRdna4() ? RDNA4 : name) + label, 1)
                    .ifPresent(bytes -> mostBytesOfLl.put(function, bytes[0]));
            file.find("treell." + name + label, 2).ifPresent(range -> bytesOfTreeLl.put(function, range));
        }
    }

    static Optional<RcclArchitecture> find(String name) {
        return Optional.ofNullable(Loaded.ALL.get(name));
    }

    static List<String> names() {
        return List.copyOf(Loaded.ALL.keySet());
    }

    /**
     * All architectures of a table.
     *
     * @throws ProxyException {@link ProxyResult#INTERNAL_ERROR} if it lacks a row, or has one of no architecture
     */
    static Map<String, RcclArchitecture> load(TableFile file) {
        Map<String, RcclArchitecture> all = new LinkedHashMap<>();
        file.names("model.").forEach(name -> all.put(name, new RcclArchitecture(name, file)));
        file.requireAllRead();
        for (String name : file.words(LL128)) {
            if (!all.containsKey(name)) {
                throw file.failure(LL128 + " names " + name + ", which has no model");
            }
        }
        return all;
    }

    private double[] own(TableFile file, String row, int count) {
        double[] usual = file.numbers(row, count);
        return file.find(row + "." + name, count).orElse(usual);
    }

    String name() {
        return name;
    }

    int model() {
        return model;
    }

    boolean hasLl128() {
        return hasLl128;
    }

    /** MI300 and MI350, for which some costs are different on one node. */
    boolean isCdna3() {
        return name.equals("gfx942") || name.equals("gfx950");
    }

    /** What every call costs, in µs. */
    double baseLatency(Protocol protocol) {
        return baseLatencies[protocol.ordinal()];
    }

    int maxChannels(int nodes) {
        return (int) maxChannels[nodes == 1 ? 0 : 1];
    }

    int threads(Protocol protocol) {
        return (int) threads[protocol.ordinal()];
    }

    long bufferBytes(Protocol protocol) {
        return (long) bufferBytes[protocol.ordinal()];
    }

    /** How many bytes a thread has to have. */
    double bytesOfThread(Way way, int ranks) {
        return switch (way.algorithm()) {
            case COLLNET_DIRECT, COLLNET_CHAIN -> bytesOfCollNetThread;
            case RING -> bytesOfThread[way.protocol().ordinal()] * (way.protocol() == Protocol.LL ? ranks : 1);
            default -> bytesOfThread[way.protocol().ordinal()];
        };
    }

    /** The protocol for a size on one node, whatever the model says; empty for those that it may say. */
    Optional<Protocol> protocol(CollFunction function, long bytesOfRank) {
        Double most = mostBytesOfLl.get(function);
        if (most != null && bytesOfRank <= most) {
            return Optional.of(Protocol.LL);
        }
        return most != null && isRdna4() ? Optional.of(Protocol.SIMPLE) : Optional.empty();
    }

    /** Whether the size takes Tree and LL on one node. */
    boolean wantsTree(CollFunction function, long bytesOfRank) {
        double[] range = bytesOfTreeLl.get(function);
        return range != null && bytesOfRank >= range[0] && bytesOfRank <= range[1];
    }

    private boolean isRdna4() {
        return name.startsWith(RDNA4);
    }

    /** Read once, when it is first asked for. */
    private static final class Loaded {
        static final Map<String, RcclArchitecture> ALL = load(TableFile.load("architectures.table"));

        private Loaded() {
        }
    }
}

/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.tuner.model;

import io.proxyrt.core.CollFunction;
import io.proxyrt.core.Protocol;
import io.proxyrt.tuner.Way;
import java.util.List;
import java.util.Optional;

/** What RCCL knows of an architecture beside its tuning model: {@code architectures.table}. */
final class RcclArchitecture {
    private static final String RDNA4 = "gfx12";
    private static final int PROTOCOLS = Protocol.values().length;

    private final String name;
    private final TableFile file;
    private final int model;
    private final boolean hasLl128;
    private final double[] maxChannels;
    private final double[] threads;
    private final double[] bufferBytes;

    private RcclArchitecture(String name, TableFile file) {
        this.name = name;
        this.file = file;
        model = file.integer("model." + name);
        hasLl128 = file.words("ll128").contains(name);
        maxChannels = own("channels", 2);
        threads = own("threads", PROTOCOLS);
        bufferBytes = own("buffer", PROTOCOLS);
    }

    static Optional<RcclArchitecture> find(String name) {
        TableFile file = TableFile.load("architectures.table");
        return file.names("model.").contains(name) ? Optional.of(new RcclArchitecture(name, file)) : Optional.empty();
    }

    static List<String> names() {
        return TableFile.load("architectures.table").names("model.");
    }

    private double[] own(String row, int count) {
        String ownRow = row + "." + name;
        return file.numbers(file.all(ownRow).isPresent() ? ownRow : row, count);
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
        return file.numbers("base", PROTOCOLS)[protocol.ordinal()];
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
            case COLLNET_DIRECT, COLLNET_CHAIN -> file.integer("threads.bytes.collnet");
            case RING -> bytesOfThread(way.protocol()) * (way.protocol() == Protocol.LL ? ranks : 1);
            default -> bytesOfThread(way.protocol());
        };
    }

    private double bytesOfThread(Protocol protocol) {
        return file.numbers("threads.bytes", PROTOCOLS)[protocol.ordinal()];
    }

    /** The protocol for a size on one node, whatever the model says; empty for those that it may say. */
    Optional<Protocol> protocol(CollFunction function, long bytesOfRank) {
        boolean isRdna4 = name.startsWith(RDNA4);
        Optional<double[]> limit = file.all("ll." + (isRdna4 ? RDNA4 : name) + "." + NcclTables.label(function));
        return limit.filter(bytes -> bytesOfRank <= bytes[0]).map(bytes -> Protocol.LL)
                .or(() -> isRdna4 && limit.isPresent() ? Optional.of(Protocol.SIMPLE) : Optional.empty());
    }

    /** Whether the size takes Tree and LL on one node. */
    boolean wantsTree(CollFunction function, long bytesOfRank) {
        return file.all("treell." + name + "." + NcclTables.label(function))
                .filter(range -> bytesOfRank >= range[0] && bytesOfRank <= range[1]).isPresent();
    }
}

/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli;

import io.proxyrt.bootstrap.launch.RankEnvironment;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Where the ranks come from: processes that this one starts, its threads, or a launcher. */
final class LaunchOptions {
    private static final int DEFAULT_RANKS = 4;
    private static final int MAX_RANKS = 256;

    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    @Option(names = "--ranks", paramLabel = "N", description = "Ranks to start, 1 to 256. Default: 4.")
    private Integer ranks;

    @Option(names = "--nodes", paramLabel = "N",
            description = "Take this host for N of them, each with as many ranks, one behind the other: only networks "
                    + "connect ranks of different ones.")
    private Integer nodes;

    @Option(names = "--in-process", description = "Ranks are threads of this process.")
    private boolean isInProcess;

    @Option(names = "--unbound",
            description = "Let the threads of ranks run on any CPU. Otherwise each rank that this command starts keeps "
                    + "to an equal share of this host's, or to one in turn where there are more ranks. Fewer than 8 "
                    + "ranks with a CPU for each are left alone.")
    private boolean isUnbound;

    @Option(names = "--rendezvous", paramLabel = "HOST:PORT",
            description = "Where the ranks of a launcher meet: rank 0's host and a port that is free there.")
    private String rendezvous;

    /** For picocli. */
    LaunchOptions() {
    }

    /** What the flags and the environment ask for; what makes no sense is a {@link ParameterException}. */
    RankLaunch launch() {
        Optional<RankEnvironment> launched = RankEnvironment.detect(System.getenv());
        List<String> arguments = spec.root().commandLine().getParseResult().originalArgs();
        RankLaunch launch = new RankLaunch(launched, nRanks(launched), nodes == null ? 1 : nodes, isInProcess,
                isUnbound, rendezvous, arguments);
        requireNodes(launch);
        return launch;
    }

    private void requireNodes(RankLaunch launch) {
        if (launch.nodes() < 1 || launch.nRanks() % launch.nodes() != 0) {
            throw misuse("--nodes is " + launch.nodes() + ": must be a divisor of the " + launch.nRanks()
                    + " ranks, for each node has as many");
        }
        if (launch.nodes() > 1 && !launch.isOneHost()) {
            throw misuse("--nodes is " + launch.nodes() + ": that takes ranks that are on one host for certain, such "
                    + "as those that this command starts");
        }
    }

    private int nRanks(Optional<RankEnvironment> launched) {
        int wanted = ranks == null ? DEFAULT_RANKS : ranks;
        if (wanted < 1 || wanted > MAX_RANKS) {
            throw misuse("--ranks is " + wanted + ": must be within 1 to " + MAX_RANKS);
        }
        if (launched.isEmpty()) {
            if (rendezvous != null) {
                throw misuse("--rendezvous is for ranks that a launcher starts; there is none: set PROXYRT_RANK and "
                        + "PROXYRT_NRANKS, or leave it out");
            }
            return wanted;
        }
        RankEnvironment self = launched.get();
        if (ranks != null && wanted != self.nRanks() || isInProcess && self.nRanks() > 1) {
            throw misuse((isInProcess ? "--in-process" : "--ranks " + wanted) + ", but " + self.launcher().label()
                    + " started " + self.nRanks() + " processes, each of them a rank ("
                    + self.launcher().sizeName() + "): leave it out");
        }
        if (self.nRanks() > MAX_RANKS) {
            throw misuse(self.launcher().label() + " started " + self.nRanks() + " ranks: must be within 1 to "
                    + MAX_RANKS);
        }
        return self.nRanks();
    }

    private ParameterException misuse(String message) {
        return new ParameterException(spec.commandLine(), message);
    }
}

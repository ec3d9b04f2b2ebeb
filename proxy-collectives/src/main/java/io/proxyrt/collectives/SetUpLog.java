/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import io.proxyrt.core.Subsystem;
import io.proxyrt.core.runtime.ConnectionEnd;
import io.proxyrt.core.runtime.TransportVerdict;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;

/** What a communicator tells at INFO when it is made, as NCCL does: rings, transports, and what is chosen by size. */
final class SetUpLog {
    private static final Subsystem INIT = Subsystem.INIT;
    private static final Logger GRAPH = Subsystem.GRAPH.logger();
    private static final Logger TUNING = Subsystem.TUNING.logger();

    /** Of more ranks only connections that are made are told: each rank would ask about each other one. */
    private static final int MAX_EXPLAINED = 64;

    private SetUpLog() {
    }

    static void ready(CommunicatorParts parts, LaunchPlanner planner) {
        RingSetup setup = parts.setup;
        String sharing = setup.isOnGpu() ? SharedGpu.warning(setup.infos(), setup.rank()) : "";
        if (!sharing.isEmpty()) {
            INIT.logger().warn(sharing);
        }
        rings(setup, parts.rings, INIT.loggerOr(GRAPH));
        if (setup.group().isWhole() && setup.nRanks() <= MAX_EXPLAINED) {
            transports(setup);
        }
        Logger tuning = INIT.loggerOr(TUNING);
        // All ranks have agreed on that.
        if (setup.rank() == 0 && parts.rings.length > 0 && tuning.isInfoEnabled()) {
            tuning.info("rank 0: {}", planner.describe());
        }
        INIT.logger().info("{} of {} is ready", setup.group().self(), setup.nRanks());
    }

    /** Rings that are connected later. */
    static void connected(CommunicatorParts parts, LaunchPlanner planner) {
        rings(parts.setup, parts.rings, INIT.loggerOr(GRAPH));
        if (parts.setup.rank() == 0) {
            INIT.loggerOr(TUNING).info("{}: {}", parts.setup.group().self(), planner.describe());
        }
    }

    /** Connections that are made later, when they are first needed. */
    static void connected(RingSetup setup, ConnectionEnd send, ConnectionEnd recv) {
        String transport = send.connector().transport();
        loggerOf(transport).info("{} is connected with rank {} too, to it via {}, from it via {}",
                setup.group().self(), send.peer(), transport, recv.connector().transport());
    }

    private static void rings(RingSetup setup, Ring[] rings, Logger logger) {
        if (rings.length > 0) {
            logger.info("{}: {} {}, each a ring: {} -> {} -> {}, from the one via {}, to the other via {}",
                    setup.group().self(), rings.length, rings.length == 1 ? "channel" : "channels", rings[0].prev(),
                    setup.rank(), rings[0].next(), rings[0].recv().connector().transport(),
                    rings[0].send().connector().transport());
        }
    }

    /** A line for each, with all ranks that it is for. */
    private static void transports(RingSetup setup) {
        if (!isAnyEnabled()) {
            return;
        }
        Map<TransportVerdict, BitSet> peers = new LinkedHashMap<>();
        for (int peer = 0; peer < setup.nRanks(); peer++) {
            if (peer != setup.rank()) {
                peers.computeIfAbsent(chosen(setup.explain(peer)), any -> new BitSet()).set(peer);
            }
        }
        peers.forEach((verdict, ranks) -> loggerOf(verdict.name()).info("rank {}: {}{} for {} {}", setup.rank(),
                verdict.name(), verdict.how().isEmpty() ? "" : " (" + verdict.how() + ")",
                ranks.cardinality() == 1 ? "rank" : "ranks", ranges(ranks)));
    }

    private static boolean isAnyEnabled() {
        return INIT.logger().isInfoEnabled() || Subsystem.P2P.logger().isInfoEnabled()
                || Subsystem.SHM.logger().isInfoEnabled() || Subsystem.NET.logger().isInfoEnabled();
    }

    private static TransportVerdict chosen(List<TransportVerdict> verdicts) {
        return verdicts.stream().filter(TransportVerdict::isChosen).findFirst()
                .orElse(new TransportVerdict("no transport", "", false));
    }

    private static Logger loggerOf(String transport) {
        Subsystem subsystem = switch (transport) {
            case "P2P" -> Subsystem.P2P;
            case "SHM" -> Subsystem.SHM;
            default -> Subsystem.NET;
        };
        return INIT.loggerOr(subsystem.logger());
    }

    /** {@code 0-2 5}. */
    private static String ranges(BitSet ranks) {
        List<String> ranges = new ArrayList<>();
        for (int first = ranks.nextSetBit(0); first >= 0; first = ranks.nextSetBit(ranks.nextClearBit(first))) {
            int last = ranks.nextClearBit(first) - 1;
            ranges.add(first == last ? Integer.toString(first) : first + "-" + last);
        }
        return String.join(" ", ranges);
    }
}

/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.perf;

import io.proxyrt.cli.about.Host;
import io.proxyrt.cli.launch.RankBinding;
import io.proxyrt.collectives.Communicator;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.runtime.ThreadingChoice;
import io.proxyrt.core.runtime.TransportVerdict;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** What a rank runs on, in a line, as nccl-tests lists its devices. */
final class RankLine {
    private RankLine() {
    }

    static String of(Communicator comm) {
        return String.format(Locale.ROOT,
                "Rank %2d Pid %6d on %10s%s device %s, %s, %s, %d channel%s, Java %s",
                comm.rank(), ProcessHandle.current().pid(), Host.name(), alias(comm), comm.proxy().device().name(),
                transports(comm), threading(comm.proxy().threading()),
                comm.channels(), comm.channels() == 1 ? "" : "s",
                Runtime.version());
    }

    /** The host that it takes itself to be on, if it is told so. */
    private static String alias(Communicator comm) {
        String host = comm.proxy().config().get(CoreOptions.HOST_ID);
        return host.isEmpty() ? "" : " as '" + host + "'";
    }

    /** {@code invoker threading on CPU 0, because 4 ranks of 3 threads are too many for 2 CPUs}. */
    private static String threading(ThreadingChoice choice) {
        return choice.mode().name().toLowerCase(Locale.ROOT) + " threading" + RankBinding.describe()
                + (choice.reason().isEmpty() ? "" : ", because " + choice.reason());
    }

    /**
     * What connects the rank with the others: {@code SHM}, or {@code SHM to 0-2 5, NET to 3-4}. A ring needs no
     * connection with those that are not neighbours, so there may be none.
     */
    private static String transports(Communicator comm) {
        Map<String, BitSet> peers = new LinkedHashMap<>();
        for (int peer = 0; peer < comm.nRanks(); peer++) {
            if (peer != comm.rank()) {
                peers.computeIfAbsent(chosen(comm.explain(peer)), any -> new BitSet()).set(peer);
            }
        }
        return switch (peers.size()) {
            case 0 -> "no transport";
            case 1 -> peers.keySet().iterator().next();
            default -> peers.entrySet().stream().map(entry -> entry.getKey() + " to " + ranges(entry.getValue()))
                    .collect(Collectors.joining(", "));
        };
    }

    private static String chosen(List<TransportVerdict> verdicts) {
        return verdicts.stream().filter(TransportVerdict::isChosen).findFirst().map(TransportVerdict::name)
                .orElse("nothing");
    }

    private static String ranges(BitSet ranks) {
        List<String> ranges = new ArrayList<>();
        for (int first = ranks.nextSetBit(0); first >= 0; first = ranks.nextSetBit(ranks.nextClearBit(first))) {
            int last = ranks.nextClearBit(first) - 1;
            ranges.add(first == last ? Integer.toString(first) : first + "-" + last);
        }
        return String.join(" ", ranges);
    }
}

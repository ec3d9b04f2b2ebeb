/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.perf;

import io.proxyrt.cli.about.Host;
import io.proxyrt.collectives.CollectivesOptions;
import io.proxyrt.collectives.Communicator;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.ProxyConfig;
import java.util.Locale;

/** What a rank runs on, in a line, as nccl-tests lists its devices. */
final class RankLine {
    private RankLine() {
    }

    static String of(Communicator comm, ProxyConfig config) {
        String transport = config.get(CollectivesOptions.TRANSPORT);
        return String.format(Locale.ROOT, "Rank %2d Pid %6d on %10s device %s, %s, %s threading, %d channel%s, Java %s",
                comm.rank(), ProcessHandle.current().pid(), Host.name(), comm.proxy().device().name(),
                transport.isEmpty() ? String.join(" or ", comm.proxy().transports()) : transport,
                config.get(CoreOptions.THREADING).name().toLowerCase(Locale.ROOT),
                config.get(CollectivesOptions.CHANNELS), config.get(CollectivesOptions.CHANNELS) == 1 ? "" : "s",
                Runtime.version());
    }
}

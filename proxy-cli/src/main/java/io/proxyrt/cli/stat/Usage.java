/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.stat;

import io.proxyrt.cli.stat.RuntimeView.Value;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.counters.Counter;
import io.proxyrt.core.diagnosis.ProcessLook;
import io.proxyrt.core.op.LaneFill;
import io.proxyrt.core.op.OpsPoolReader;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.ToLongFunction;

/** What a runtime and its process use, beside what the runtime itself counts. */
final class Usage {
    private static final double MILLIS = 1000;
    private static final double GIGA = 1e9;

    private Usage() {
    }

    /** How full the ops pool is, of all lanes; nothing while there is none. */
    static void addLanes(Map<String, Value> counters, Path ops) {
        try {
            List<LaneFill> lanes = OpsPoolReader.read(ops);
            counters.put("pool ops pending", gauge(sum(lanes, LaneFill::pending)));
            counters.put("pool ops in flight", gauge(sum(lanes, LaneFill::inFlight)));
            counters.put("pool capacity", gauge(sum(lanes, LaneFill::capacity)));
        } catch (ProxyException e) {
            // Not there yet, or not any more: what is left out is not known.
            return;
        }
    }

    /** Of all runtimes of the process, whose connections have moved so many bytes. */
    static void addProcess(Map<String, Value> counters, long pid, ProcessLook look, long bytes) {
        double proxySeconds = look.proxySeconds();
        ProcessLook.descriptors(pid).ifPresent(open -> counters.put("process descriptors", gauge(open)));
        counters.put("process cpu ms", new Value(Counter.Kind.TOTAL, Math.round(look.cpuSeconds() * MILLIS)));
        counters.put("proxy cpu ms", new Value(Counter.Kind.TOTAL, Math.round(proxySeconds * MILLIS)));
        if (bytes > 0 && proxySeconds > 0) {
            counters.put("proxy cpu ms per GB", gauge(Math.round(proxySeconds * MILLIS * GIGA / bytes)));
        }
    }

    private static long sum(List<LaneFill> lanes, ToLongFunction<LaneFill> part) {
        return lanes.stream().mapToLong(part).sum();
    }

    private static Value gauge(long value) {
        return new Value(Counter.Kind.GAUGE, value);
    }
}

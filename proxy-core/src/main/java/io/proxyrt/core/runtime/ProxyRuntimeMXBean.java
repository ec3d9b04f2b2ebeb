/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.runtime;

import java.util.List;
import java.util.Map;

/**
 * A runtime, as JMX shows it, with {@link io.proxyrt.core.config.CoreOptions#JMX}: named {@code
 * io.proxyrt:type=Runtime,rank=0,job="..."}. It needs no help of the runtime's threads: counters, health and active ops
 * are read from its files. Any thread; waits for nothing.
 */
public interface ProxyRuntimeMXBean {
    /** {@return the number of the rank} */
    int getRank();

    /** {@return how many ranks the job has} */
    int getRanks();

    /** {@return the name of the job} */
    String getJob();

    /** {@return what the runtime counts, by the labels of {@code proxyrt stat}} */
    Map<String, Long> getCounters();

    /** {@return how it fares, of one look} */
    Health getHealth();

    /** {@return the first failure, for people; empty if there is none} */
    String getFailure();

    /** {@return what {@code proxyrt dump} shows: active ops, and kernels that stand still, a line each} */
    List<String> dump();

    /** How a runtime fares. */
    interface Health {
        /** {@return the name of a {@link io.proxyrt.core.counters.RuntimeHealth.State}} */
        String getState();

        /** {@return why, for people; empty if it is healthy} */
        String getReason();
    }
}

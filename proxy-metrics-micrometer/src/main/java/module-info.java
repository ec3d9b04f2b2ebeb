/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
/** Counters and Flight Recorder events of runtimes as meters of Micrometer. */
module io.proxyrt.metrics.micrometer {
    requires transitive io.proxyrt.core;
    requires transitive micrometer.core;
    requires jdk.jfr;

    exports io.proxyrt.metrics.micrometer;
}

/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.perf;

import java.util.List;
import java.util.Optional;

/**
 * What has been soaked so far. Its components are the fields of the JSON document.
 *
 * @param status         running, ok, wrong data or failed
 * @param error          why it failed
 * @param seed           of all that is random
 * @param firstRound     that was run
 * @param devices        what each rank runs on, by rank
 * @param rounds         that are done
 * @param operations     of them
 * @param bytes          that were checked
 * @param seconds        since the beginning
 * @param longestRoundMs of all rounds
 * @param longestRound   its number
 * @param wrong          the first thing that was
 */
record SoakView(String status, Optional<String> error, long seed, long firstRound, List<String> devices, long rounds,
        long operations, long bytes, double seconds, double longestRoundMs, long longestRound, Optional<Wrong> wrong) {
    /**
     * Wrong data.
     *
     * @param round      its number
     * @param operations of the round
     * @param ranks      what each has seen, by rank; empty if nothing
     */
    record Wrong(long round, List<String> operations, List<String> ranks) {
    }
}

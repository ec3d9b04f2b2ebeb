/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bootstrap;

import io.proxyrt.core.config.Option;
import io.proxyrt.core.config.OptionsProvider;
import io.proxyrt.core.config.ProxyConfig;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** The options of the bootstrap. */
public final class BootstrapOptions implements OptionsProvider {
    /** How long ranks wait for each other to come. */
    public static final Option<Duration> JOIN_TIMEOUT = Option.ofDuration(
            "coll.join.timeout", "", Duration.ofSeconds(60),
            "how long ranks wait for each other to join")
            .when("ranks start far apart, as in long queues");
    /** Where rank 0 listens for the others, if not where they dial. */
    public static final Option<String> ADDRESS = Option.ofString("coll.bootstrap.address", "", "",
            "address that rank 0 of a launcher listens at; empty: the one that is dialled; 0.0.0.0: all of the host")
            .when("rank 0 is behind a translated address, or dialled by a name of another interface");
    /** After how much silence a rank is given up. */
    public static final Option<Duration> SILENCE_TIMEOUT = Option.ofDuration(
            "coll.silence.timeout", "", Duration.ofSeconds(30),
            "how long this rank, or the bootstrap root towards it, may be silent until it counts as dead: longer than "
            + "a debugger or a migration pauses it; at least 2s")
            .when("processes are paused for longer, by a debugger or a migration (higher)");

    /** How many ranks may dial the root at once. */
    public static final Option<Integer> STAGGER_THRESHOLD = Option.ofInt(
            "coll.stagger.threshold", "NCCL_UID_STAGGER_THRESHOLD", 1024, 1, Integer.MAX_VALUE,
            "ranks of a larger job dial the root one after the other, at the rate of coll.stagger.rate")
            .when("the root's host has a shorter accept backlog than net.core.somaxconn usually says (lower)");
    /** How many ranks of a large job dial the root in a second. */
    public static final Option<Integer> STAGGER_RATE = Option.ofInt(
            "coll.stagger.rate", "NCCL_UID_STAGGER_RATE", 7000, 1, 1_000_000,
            "how many ranks dial the root in a second, where there are more than coll.stagger.threshold")
            .when("the root's host takes in fewer, or more");

    /** For {@link java.util.ServiceLoader}. */
    public BootstrapOptions() {
    }

    @Override
    public String title() {
        return "The bootstrap";
    }

    @Override
    public List<Option<?>> options() {
        return List.of(JOIN_TIMEOUT, ADDRESS, SILENCE_TIMEOUT, STAGGER_THRESHOLD, STAGGER_RATE);
    }

    /** How long a rank waits before it dials the root. */
    static long staggerNs(int rank, int nRanks, ProxyConfig settings) {
        return nRanks <= settings.get(STAGGER_THRESHOLD) ? 0
                : TimeUnit.SECONDS.toNanos(rank) / settings.get(STAGGER_RATE);
    }
}

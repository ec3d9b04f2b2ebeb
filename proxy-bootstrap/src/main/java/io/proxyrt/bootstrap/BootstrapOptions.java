/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bootstrap;

import io.proxyrt.core.config.Option;
import io.proxyrt.core.config.OptionsProvider;
import java.time.Duration;
import java.util.List;

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

    /** For {@link java.util.ServiceLoader}. */
    public BootstrapOptions() {
    }

    @Override
    public String title() {
        return "The bootstrap";
    }

    @Override
    public List<Option<?>> options() {
        return List.of(JOIN_TIMEOUT, ADDRESS, SILENCE_TIMEOUT);
    }
}

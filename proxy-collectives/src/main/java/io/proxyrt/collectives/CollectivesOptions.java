/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import io.proxyrt.core.config.Option;
import io.proxyrt.core.config.OptionsProvider;
import java.time.Duration;
import java.util.List;

/** The options of the collective stack. */
public final class CollectivesOptions implements OptionsProvider {
    /** Rings that share the work. */
    public static final Option<Integer> CHANNELS = Option.ofInt(
            "coll.channels", "NCCL_MIN_NCHANNELS", 1, 1, 64, "channels: rings that share the work");
    /** The transport between ranks. */
    public static final Option<String> TRANSPORT = Option.ofString(
            "coll.transport", "", "", "transport between ranks; empty: the first that can");
    /** How long ranks wait for each other to come. */
    public static final Option<Duration> JOIN_TIMEOUT = Option.ofDuration(
            "coll.join.timeout", "", Duration.ofSeconds(60), "how long ranks wait for each other to join");
    /** How long collectives may make no progress at all. */
    public static final Option<Duration> TIMEOUT = Option.ofDuration(
            "coll.timeout", "", Duration.ofSeconds(30), "how long a wait may last without any progress");

    /** For {@link java.util.ServiceLoader}. */
    public CollectivesOptions() {
    }

    @Override
    public List<Option<?>> options() {
        return List.of(CHANNELS, TRANSPORT, JOIN_TIMEOUT, TIMEOUT);
    }
}

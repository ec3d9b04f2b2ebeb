/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.tuner.external;

import io.proxyrt.core.config.Option;
import io.proxyrt.core.config.OptionsProvider;
import java.util.List;

/** The options of tuners. */
public final class TunerOptions implements OptionsProvider {
    /** The tuner. */
    public static final Option<String> PLUGIN = Option.ofString("tuner.plugin", "NCCL_TUNER_PLUGIN", "",
            "tuner that proxyrt info tuning and stacks of one's own open, which choose by cost models; proxyrt's own "
            + "collectives do not, and have none; a name of a Java tuner, X for libnccl-tuner-X.so, a file, or none; "
            + "empty: the first of Java, else libnccl-tuner.so if it is there")
            .scope(Option.Scope.JOB)
            .when("a site has a tuner of its own, or one is at fault (none)");

    /** For {@link java.util.ServiceLoader}. */
    public TunerOptions() {
    }

    @Override
    public String title() {
        return "Tuners";
    }

    @Override
    public List<Option<?>> options() {
        return List.of(PLUGIN);
    }
}

/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.collnet;

import io.proxyrt.core.config.Option;
import io.proxyrt.core.config.OptionsProvider;
import java.util.List;

/** The options of the COLLNET transport. */
public final class CollNetOptions implements OptionsProvider {
    /** Which network carries out collectives. */
    public static final Option<String> NETWORK = Option.ofString("collnet", "", "",
            "network that carries out collectives: Switch, or the name of a plug-in; empty: the first that can")
            .scope(Option.Scope.JOB)
            .when("there are several networks that carry out collectives");
    /** Where the switches in software are. */
    public static final Option<String> SWITCH = Option.ofString("collnet.switch", "", "",
            "switches that proxyrt collnet-switch runs, as host:port, a comma between them, each a device; empty: "
            + "ranks of one host start their own")
            .when("switches run in the network; each rank names the one near it");

    /** For {@link java.util.ServiceLoader}. */
    public CollNetOptions() {
    }

    @Override
    public String title() {
        return "COLLNET";
    }

    @Override
    public List<Option<?>> options() {
        return List.of(NETWORK, SWITCH);
    }
}

/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli;

import io.proxyrt.core.config.Option;
import io.proxyrt.core.config.ProxyConfig;
import java.io.PrintWriter;
import java.util.Arrays;

/** Options with their values, where those come from, and their other names. */
final class OptionTable {
    private OptionTable() {
    }

    /** Prints those options whose property begins so. */
    static void print(PrintWriter out, ProxyConfig config, String prefix) {
        out.println("\nOptions: property, value, where that comes from; what for, and other names for the environment");
        config.settings().stream().filter(setting -> setting.option().key().startsWith(prefix))
                .forEach(setting -> print(out, setting));
    }

    private static void print(PrintWriter out, ProxyConfig.Setting setting) {
        String value = setting.text();
        out.printf("  %-38s %-14s %s%n", setting.option().key(), value.isEmpty() ? "(empty)" : value,
                setting.source());
        out.printf("      %s%s; %s%n", setting.option().description(), scope(setting.option()), String.join(", ",
                Arrays.stream(new String[] {setting.option().environmentName(), setting.option().alias()})
                        .filter(name -> !name.isEmpty()).toList()));
    }

    private static String scope(Option<?> option) {
        return switch (option.scope()) {
            case RANK -> "";
            case HOST -> "; equal at all ranks of a host";
            case JOB -> "; equal at all ranks";
        };
    }
}

/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli;

import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.ProxyConfig;
import java.util.List;
import picocli.CommandLine.Option;

/** Options of the runtime on the command line. */
final class SettingOptions {
    @Option(names = "--set", paramLabel = "KEY=VALUE",
            description = "Any option of the runtime, see proxyrt info; may be repeated.")
    private List<String> settings = List.of();

    /** For picocli. */
    SettingOptions() {
    }

    /** As they were given. */
    List<String> settings() {
        return List.copyOf(settings);
    }

    /** A configuration in the making; what is no pair is an {@link IllegalArgumentException}. */
    ProxyConfig.Builder builder() {
        ProxyConfig.Builder builder = ProxyConfig.builder();
        for (String setting : settings) {
            int equals = setting.indexOf('=');
            if (equals < 1) {
                throw new IllegalArgumentException("--set is '" + setting + "': must be key=value, such as "
                        + "--set buffer.bytes=1M");
            }
            String key = setting.substring(0, equals);
            refuseSecret("--set " + key, key);
            builder.set(key, setting.substring(equals + 1));
        }
        System.getProperties().stringPropertyNames().forEach(key -> refuseSecret("-D" + key, key));
        return builder;
    }

    /** Every user of the host can read the arguments of a process. */
    private static void refuseSecret(String how, String key) {
        if (key.equals(CoreOptions.SECRET.key()) || ("proxyrt." + key).equals(CoreOptions.SECRET.key())) {
            throw new IllegalArgumentException(how + " would show the secret to all users of this host, in ps: write "
                    + "it to a file that only you can read, for --set secret.file=FILE or "
                    + CoreOptions.SECRET_FILE.environmentName() + ", or set " + CoreOptions.SECRET.environmentName());
        }
    }
}

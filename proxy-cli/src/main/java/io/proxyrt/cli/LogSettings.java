/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.NcclDebug;
import io.proxyrt.core.config.ProxyConfig;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What this program logs, and where: settings of slf4j-simple, which reads system properties. */
final class LogSettings {
    private static final String LOG = "PROXYRT_LOG";
    private static final String PREFIX = "org.slf4j.simpleLogger.";
    private static final Set<String> DEBUG_NAMES =
            Stream.of(CoreOptions.DEBUG, CoreOptions.DEBUG_SUBSYS, CoreOptions.DEBUG_FILE)
                    .flatMap(option -> Stream.of(option.environmentName(), option.alias()))
                    .collect(Collectors.toUnmodifiableSet());

    private LogSettings() {
    }

    /** Before the first logger is made. */
    static void apply(Map<String, String> environment) {
        System.setProperty("slf4j.internal.verbosity", "ERROR");
        set("defaultLogLevel", environment.getOrDefault(LOG, "warn"));
        set("log.io.netty", "warn");
        set("showDateTime", "true");
        set("dateTimeFormat", "HH:mm:ss.SSS");
        NcclDebug debug = debug(environment);
        if (!RankLaunch.isOfProxyrt(environment)) {
            debug.warnings().forEach(warning -> System.err.println("proxyrt: " + warning));
        }
        debug.levels().forEach((logger, level) -> set("log." + logger, level.name().toLowerCase(Locale.ROOT)));
        if (!debug.file().isEmpty()) {
            set("logFile", debug.file());
        }
        if (!environment.containsKey(LOG) && debug.levels().isEmpty()) {
            // The command says itself why it failed.
            set("log.proxyrt.proxy.failure", "off");
        }
    }

    /** Nothing is logged of the rest of the environment yet; and what is wrong with it, the command says. */
    private static NcclDebug debug(Map<String, String> environment) {
        Map<String, String> ofLogs = new HashMap<>(environment);
        ofLogs.keySet().retainAll(DEBUG_NAMES);
        try {
            return NcclDebug.of(ProxyConfig.builder().environment(ofLogs).build());
        } catch (ProxyException e) {
            return new NcclDebug(Map.of(), "", List.of());
        }
    }

    private static void set(String name, String value) {
        System.setProperty(PREFIX + name, value);
    }
}

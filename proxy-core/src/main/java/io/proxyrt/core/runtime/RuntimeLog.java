/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.runtime;

import io.proxyrt.core.Subsystem;
import io.proxyrt.core.Version;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.NcclDebug;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.device.Device;
import io.proxyrt.core.device.DeviceAttributes;
import io.proxyrt.core.platform.HostName;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;

/** What a runtime tells of itself at INFO: once when it has started, once when it has ended. */
final class RuntimeLog {
    private static final Logger INIT = Subsystem.INIT.logger();
    private static final Logger VERSION = Subsystem.INIT.logger(NcclDebug.VERSION_PART);
    private static final Logger ENV = Subsystem.ENV.logger();

    private RuntimeLog() {
    }

    /** Before all else. */
    static void begins(int rank) {
        if (rank == 0 && VERSION.isInfoEnabled()) {
            VERSION.info("rank 0: proxyrt {}, Java {}, {} {} {}", Version.text(), Runtime.version(),
                    System.getProperty("os.name"), System.getProperty("os.version"), System.getProperty("os.arch"));
        }
    }

    static void started(ProxyState state, ProxyStateBuilder builder, ThreadingChoice threading) {
        if (INIT.isInfoEnabled()) {
            INIT.info("rank {} of {}: host {}, process {}, device {}{}, {} threading{}", state.rank(), builder.nRanks(),
                    host(state.config()), ProcessHandle.current().pid(), device(state.device()),
                    builder.job().isEmpty() ? "" : ", job " + builder.job(),
                    threading.mode().name().toLowerCase(Locale.ROOT),
                    threading.reason().isEmpty() ? "" : ", because " + threading.reason());
        }
        if (ENV.isInfoEnabled()) {
            ENV.info("rank {}: settings: {}", state.rank(), settings(state.config()));
        }
    }

    /** Passes the report on. */
    static CloseReport ended(int rank, CloseReport report) {
        if (INIT.isInfoEnabled()) {
            INIT.info("rank {} has ended its runtime, within {} ms{}", rank, report.took().toMillis(),
                    report.isClean() ? "" : ", and gave up " + String.join("; ", report.abandoned()));
        }
        return report;
    }

    private static String host(ProxyConfig config) {
        String alias = config.get(CoreOptions.HOST_ID);
        return HostName.get() + (alias.isEmpty() ? "" : " as '" + alias + "'");
    }

    private static String device(Device device) {
        DeviceAttributes attributes = device.attributes();
        String more = Stream.of(attributes.model(), attributes.pciId()).filter(text -> !text.isEmpty())
                .collect(Collectors.joining(", "));
        return device.name() + (more.isEmpty() ? "" : " (" + more + ")");
    }

    /** Those that are not the default, with their sources. */
    private static String settings(ProxyConfig config) {
        String set = config.settings().stream().filter(setting -> config.isSet(setting.option()))
                .map(ProxyConfig.Setting::toString).collect(Collectors.joining(", "));
        return set.isEmpty() ? "all default" : set;
    }
}

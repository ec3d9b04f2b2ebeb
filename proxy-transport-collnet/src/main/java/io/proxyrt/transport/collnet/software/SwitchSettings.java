/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.collnet.software;

import io.proxyrt.core.Subsystem;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.platform.HostName;
import io.proxyrt.core.platform.Platform;
import io.proxyrt.transport.collnet.CollNetOptions;
import io.proxyrt.transport.collnet.wire.WireCredential;
import java.io.Closeable;
import java.io.IOException;
import java.util.List;
import org.slf4j.Logger;

/**
 * What the comms of one runtime have in common.
 *
 * @param config           effective settings
 * @param name             of the runtime, for the messages of others
 * @param host             that the process is on
 * @param switches         that run by themselves; empty if participant 0 has one
 * @param credential       towards those
 * @param platform         for what the JDK's channels do not offer
 * @param connectTimeoutNs how long connecting may take
 */
record SwitchSettings(ProxyConfig config, String name, HostIdentity host, List<SwitchAddress> switches,
        WireCredential credential, Platform platform, long connectTimeoutNs) {
    static final Logger LOG = Subsystem.NET.logger("collnet");

    /** Reads the secret, if there is one. */
    static SwitchSettings of(ProxyConfig config, int rank, Platform platform) {
        return new SwitchSettings(config, name(rank), HostIdentity.own(config),
                SwitchAddress.list(config.get(CollNetOptions.SWITCH)), WireCredential.of(config),
                platform, config.get(CoreOptions.CONNECT_TIMEOUT).toNanos());
    }

    /** Where the secret is from that switches which run by themselves have to know, for people. */
    String secret() {
        if (!config.get(CoreOptions.SECRET_FILE).isEmpty()) {
            return "in " + config.get(CoreOptions.SECRET_FILE) + ", see " + CoreOptions.SECRET_FILE;
        }
        return config.get(CoreOptions.SECRET).isEmpty() ? "none, so only switches at loopback addresses are believed; "
                + "see " + CoreOptions.SECRET_FILE : "as " + CoreOptions.SECRET + " says";
    }

    static void close(Closeable channel) {
        if (channel == null) {
            return;
        }
        try {
            channel.close();
        } catch (IOException e) {
            LOG.warn("a socket did not close cleanly: {}", e.toString());
        }
    }

    private static String name(int rank) {
        return "rank " + rank + " (pid " + ProcessHandle.current().pid() + " at " + HostName.get() + ")";
    }
}

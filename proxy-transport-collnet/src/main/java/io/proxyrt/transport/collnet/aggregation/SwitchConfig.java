/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.collnet.aggregation;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.transport.collnet.wire.WireCredential;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Optional;

/** What a switch is made of. Immutable. */
public final class SwitchConfig {
    private final InetSocketAddress listen;
    private final Optional<InetSocketAddress> parent;
    private final SwitchLimits limits;
    private final ProxyConfig settings;
    private final WireCredential credential;
    private final boolean isShown;

    private SwitchConfig(InetSocketAddress listen, Optional<InetSocketAddress> parent, SwitchLimits limits,
            ProxyConfig settings, WireCredential credential, boolean isShown) {
        this.listen = listen;
        this.parent = parent;
        this.limits = limits;
        this.settings = settings;
        this.credential = credential;
        this.isShown = isShown;
    }

    /**
     * Of a switch that serves all jobs with the secret of the configuration; without one, this user's of this host.
     *
     * @param listen   an address of this host; port 0 for any free one
     * @param settings with the secret
     * @return without a parent, with the default limits
     * @throws ProxyException {@link ProxyResult#INVALID_ARGUMENT} if the secret cannot be read
     */
    public static SwitchConfig of(InetSocketAddress listen, ProxyConfig settings) {
        return new SwitchConfig(listen, Optional.empty(), SwitchLimits.defaults(), settings,
                WireCredential.of(settings), false);
    }

    /**
     * Of a switch for the participants that know a group's key.
     *
     * @param listen   an address of this host; port 0 for any free one
     * @param settings which users may be peers
     * @param groupKey 32 random bytes; copied
     * @return without a parent, with the default limits
     */
    public static SwitchConfig ofGroup(InetSocketAddress listen, ProxyConfig settings, byte[] groupKey) {
        return new SwitchConfig(listen, Optional.empty(), SwitchLimits.defaults(), settings,
                WireCredential.ofGroup(settings, groupKey), false);
    }

    /**
     * The same below another switch.
     *
     * @param address of the parent
     * @return a changed copy
     */
    public SwitchConfig withParent(InetSocketAddress address) {
        return new SwitchConfig(listen, Optional.of(address), limits, settings, credential, isShown);
    }

    /**
     * The same with other limits.
     *
     * @param other limits
     * @return a changed copy
     */
    public SwitchConfig withLimits(SwitchLimits other) {
        return new SwitchConfig(listen, parent, other, settings, credential, isShown);
    }

    /**
     * The same with a mapped file of counters, which {@code proxyrt stat} shows.
     *
     * @return a changed copy
     */
    public SwitchConfig shown() {
        return new SwitchConfig(listen, parent, limits, settings, credential, true);
    }

    /**
     * Where it listens.
     *
     * @return as given
     */
    public InetSocketAddress listen() {
        return listen;
    }

    /**
     * The switch above it.
     *
     * @return empty if there is none
     */
    public Optional<InetSocketAddress> parent() {
        return parent;
    }

    /**
     * What it spends.
     *
     * @return the limits
     */
    public SwitchLimits limits() {
        return limits;
    }

    boolean isShown() {
        return isShown;
    }

    /** How long participants may take to read what is complete, and why their group ends. */
    Duration closeTimeout() {
        final Duration asked = settings.get(CoreOptions.CLOSE_TIMEOUT);
        return asked.compareTo(SwitchLimits.LONGEST) < 0 ? asked : SwitchLimits.LONGEST;
    }

    ProxyConfig settings() {
        return settings;
    }

    WireCredential credential() {
        return credential;
    }
}

/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.collnet.software;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.agent.Uninterruptibly;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.transport.collnet.aggregation.AggregationSwitch;
import io.proxyrt.transport.collnet.aggregation.SwitchConfig;
import io.proxyrt.transport.collnet.aggregation.SwitchLimits;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * The switches of a network that is participant 0 of groups: one for each group, from when it connects until its comm
 * is closed. A thread ends the switch, and gives the others {@link CoreOptions#CLOSE_TIMEOUT} of participant 0 to read
 * what is complete by then. Service thread.
 */
final class EmbeddedSwitches implements AutoCloseable {
    /** A switch ends within its time to close, and three seconds. */
    private static final Duration MARGIN = Duration.ofSeconds(5);

    private final SwitchSettings settings;
    private final Set<AggregationSwitch> running = new HashSet<>();
    private final List<Thread> ending = new ArrayList<>();

    EmbeddedSwitches(SwitchSettings settings) {
        this.settings = settings;
    }

    /**
     * Has a switch serve the participants that know a group's key.
     *
     * @param server bound, and the switch's from now on; null if another group's switch took it
     * @return ends the switch, and does not wait for that
     */
    Runnable start(ServerSocketChannel server, byte[] key) {
        if (server == null) {
            throw new ProxyException(ProxyResult.INVALID_USAGE, "the listening comm was connected before, or closed");
        }
        ending.removeIf(thread -> !thread.isAlive());
        AggregationSwitch started = AggregationSwitch.start(SwitchConfig.ofGroup(address(server), settings.config(),
                key).withLimits(limits()), server);
        running.add(started);
        return () -> end(started);
    }

    /** Waits until all have ended: for the configuration's time to close, and a moment. Idempotent. */
    @Override
    public void close() {
        List.copyOf(running).forEach(this::end);
        long closeNs = TimeUnit.NANOSECONDS.convert(settings.config().get(CoreOptions.CLOSE_TIMEOUT));
        long untilNs = System.nanoTime() + Math.min(closeNs, Long.MAX_VALUE / 2) + MARGIN.toNanos();
        for (Thread thread : ending) {
            if (!Uninterruptibly.join(thread, Duration.ofNanos(Math.max(0, untilNs - System.nanoTime())))) {
                SwitchSettings.LOG.warn("{}: the embedded {} did not end in time", settings.name(), thread.getName());
            }
        }
        ending.clear();
    }

    private void end(AggregationSwitch started) {
        if (running.remove(started)) {
            ending.add(Thread.ofPlatform().daemon().name("proxy-switch-end " + started.name())
                    .start(started::close));
        }
    }

    private SwitchLimits limits() {
        Duration patience = Duration.ofNanos(Math.max(1, settings.connectTimeoutNs()));
        return SwitchLimits.defaults().withMost(1, SwitchLimits.defaults().maxUnauthenticated())
                .withTimeouts(patience, patience);
    }

    private static InetSocketAddress address(ServerSocketChannel server) {
        try {
            return (InetSocketAddress) server.getLocalAddress();
        } catch (IOException e) {
            SwitchSettings.close(server);
            throw new ProxyException(ProxyResult.SYSTEM_ERROR, "the embedded switch's socket is of no use: " + e, e);
        }
    }
}

/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.testkit.collnet;

import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.transport.collnet.aggregation.AggregationSwitch;
import io.proxyrt.transport.collnet.aggregation.SwitchConfig;
import io.proxyrt.transport.collnet.aggregation.SwitchCounter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Switches on loopback, each of which is a device of the network {@code Switch}. Any thread may ask for counts. */
public final class RunningSwitches implements AutoCloseable {
    private final List<AggregationSwitch> running;

    private RunningSwitches(List<AggregationSwitch> running) {
        this.running = running;
    }

    /**
     * Starts some.
     *
     * @param number of switches
     * @return owned by the caller
     */
    public static RunningSwitches start(int number) {
        return new RunningSwitches(Stream.generate(RunningSwitches::startOne).limit(number).toList());
    }

    private static AggregationSwitch startOne() {
        return AggregationSwitch.start(SwitchConfig.of(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                ProxyConfig.builder().environment(Map.of()).build()));
    }

    /**
     * What {@code collnet.switch} has to be for ranks that use them.
     *
     * @return all addresses
     */
    public String addresses() {
        return running.stream().map(one -> "127.0.0.1:" + one.address().getPort()).collect(Collectors.joining(","));
    }

    /**
     * How many calls each has carried out.
     *
     * @return by switch
     */
    public List<Long> calls() {
        return running.stream().map(one -> one.count(SwitchCounter.CALLS)).toList();
    }

    @Override
    public void close() {
        running.forEach(AggregationSwitch::close);
    }
}

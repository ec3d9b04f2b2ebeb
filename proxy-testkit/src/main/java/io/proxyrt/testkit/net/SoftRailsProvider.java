/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.testkit.net;

import io.proxyrt.core.Direction;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.verbs.Verbs;
import io.proxyrt.testkit.verbs.SoftFabric;
import io.proxyrt.transport.net.ib.IbNetProvider;
import io.proxyrt.transport.net.spi.ForwardingNetPlugin;
import io.proxyrt.transport.net.spi.NetComm;
import io.proxyrt.transport.net.spi.NetConnectComm;
import io.proxyrt.transport.net.spi.NetListenComm;
import io.proxyrt.transport.net.spi.NetPlugin;
import io.proxyrt.transport.net.spi.NetPluginProvider;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * The IB network among the ranks of one process, over {@value #RAILS} adapters of software each, that have places on
 * PCI, the same at all ranks; and which of them connections take. For tests of modules that name it as a provider, and
 * ask for it by {@code net=SoftRails}.
 */
public final class SoftRailsProvider implements NetPluginProvider {
    /** Adapters of a rank. */
    public static final int RAILS = 3;

    private static final SoftFabric FABRIC = new SoftFabric();
    private static final List<Verbs> HOSTS = new ArrayList<>();
    private static final Map<Integer, Map<Direction, List<Integer>>> TAKEN = new HashMap<>();

    /** For {@link java.util.ServiceLoader}. */
    public SoftRailsProvider() {
    }

    /**
     * Where an adapter is.
     *
     * @param rail its number
     * @return an address on PCI
     */
    public static String address(int rail) {
        return "0000:" + Integer.toHexString(0xca + rail) + ":00.0";
    }

    /**
     * By which adapters the connections of a rank's last runtime go.
     *
     * @param rank      of the runtime
     * @param direction of the connections
     * @return their numbers, in the order in which they were asked for
     */
    public static List<Integer> taken(int rank, Direction direction) {
        synchronized (TAKEN) {
            return List.copyOf(TAKEN.get(rank).get(direction));
        }
    }

    private static void take(int rank, Direction direction, int dev) {
        synchronized (TAKEN) {
            TAKEN.get(rank).get(direction).add(dev);
        }
    }

    @Override
    public String name() {
        return "SoftRails";
    }

    /** {@inheritDoc} Behind all that moves data between processes. */
    @Override
    public int priority() {
        return -2;
    }

    @Override
    public NetPlugin create(ProxyConfig config, int rank) {
        synchronized (TAKEN) {
            TAKEN.put(rank, Map.of(Direction.SEND, new ArrayList<>(), Direction.RECV, new ArrayList<>()));
        }
        return new Recorded(new IbNetProvider(() -> host(rank)).create(config, rank), rank);
    }

    private static Verbs host(int rank) {
        synchronized (HOSTS) {
            for (int next = HOSTS.size(); next <= rank; next++) {
                int number = next + 1;
                String[] names = IntStream.range(0, RAILS).mapToObj(rail -> "rank" + number + "rail" + rail)
                        .toArray(String[]::new);
                for (int rail = 0; rail < RAILS; rail++) {
                    FABRIC.addRoce(names[rail], "10.1." + rail + "." + number)
                            .pciPath("/sys/devices/pci0000:c0/" + address(rail));
                }
                HOSTS.add(FABRIC.host(names));
            }
            return HOSTS.get(rank);
        }
    }

    /** Notes what is asked for. */
    private static final class Recorded extends ForwardingNetPlugin {
        private final int rank;

        /** Of the runtime of this rank. */
        Recorded(NetPlugin net, int rank) {
            super(net);
            this.rank = rank;
        }

        @Override
        public NetListenComm listen(int dev) {
            take(rank, Direction.RECV, dev);
            return net.listen(dev);
        }

        @Override
        public NetConnectComm connect(int dev, ByteBuffer handle) {
            take(rank, Direction.SEND, dev);
            return net.connect(dev, handle);
        }

        @Override
        public int testBatch(int n, NetComm[] comms, long[] requests, int[] results, long[][] sizes) {
            return net.testBatch(n, comms, requests, results, sizes);
        }
    }
}

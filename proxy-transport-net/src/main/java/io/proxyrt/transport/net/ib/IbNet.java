/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.ib;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.Subsystem;
import io.proxyrt.core.config.Option;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.platform.Closing;
import io.proxyrt.core.platform.Topology;
import io.proxyrt.core.verbs.Verbs;
import io.proxyrt.core.verbs.VerbsPort;
import io.proxyrt.transport.net.IbOptions;
import io.proxyrt.transport.net.socket.ControlListener;
import io.proxyrt.transport.net.socket.ControlSocket;
import io.proxyrt.transport.net.socket.ControlSockets;
import io.proxyrt.transport.net.spi.NetComm;
import io.proxyrt.transport.net.spi.NetConnectComm;
import io.proxyrt.transport.net.spi.NetListenComm;
import io.proxyrt.transport.net.spi.NetPlugin;
import io.proxyrt.transport.net.spi.NetProperties;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.slf4j.Logger;

/** InfiniBand and RoCE. Its devices are ports of adapters. */
final class IbNet implements NetPlugin {
    static final String NAME = "IB";
    static final Logger LOG = Subsystem.NET.logger();
    private static final long SHORTEST_SLEEP_NS = TimeUnit.MICROSECONDS.toNanos(20);
    private static final long LONGEST_SLEEP_NS = TimeUnit.MILLISECONDS.toNanos(1);
    /** Understood, and of no effect. */
    private static final List<Option<Integer>> IDLE_OPTIONS =
            List.of(IbOptions.WARN_RAIL_LOCAL, IbOptions.ECE_ENABLE, IbOptions.DATA_DIRECT);

    private final ProxyConfig config;
    private final IbSettings settings;
    private final ControlSockets control;
    private final IbDevices found;
    private final List<NetProperties> properties;
    private final IbMemory.Registry registry;
    /** Null without devices. */
    private final PeerWatch watch;
    private final String verbs;
    private final List<IbComm> comms = new ArrayList<>();
    private volatile boolean isRestless;
    private boolean isClosed;

    IbNet(ProxyConfig config, int rank, Verbs verbs, Supplier<Topology> host) {
        this.config = config;
        this.settings = IbSettings.of(config, rank);
        this.control = ControlSockets.of(config, rank);
        this.verbs = verbs.name();
        this.registry = new IbMemory.Registry(settings.data().relaxedOrdering());
        this.found = IbDevices.open(verbs, host, settings);
        try {
            this.properties = found.devices().stream().map(device -> device.properties(ClearToSend.MAX_RECVS)).toList();
            this.watch = properties.isEmpty() ? null : new PeerWatch(rank, this::restless);
        } catch (RuntimeException | Error e) {
            found.close();
            throw e;
        }
    }

    IbSettings settings() {
        return settings;
    }

    IbMemory.Registry registry() {
        return registry;
    }

    /** Whether packets of a device may pass each other. */
    boolean isAdaptive(IbDevice device) {
        int wanted = settings.data().adaptiveRouting();
        return wanted == 1
                || wanted == -2 && device.ports().getFirst().linkLayer() == VerbsPort.INFINIBAND;
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public int devices() {
        return properties.size();
    }

    @Override
    public NetProperties properties(int dev) {
        return properties.get(checked(dev));
    }

    /** {@inheritDoc} Adapters know regions by domain, and all comms of a device use the same. */
    @Override
    public boolean isRegistrationGlobal(int dev) {
        return true;
    }

    @Override
    public String describe() {
        String devices = properties.stream().map(NetProperties::name).collect(Collectors.joining(", "));
        return NAME + ": " + (devices.isEmpty() ? "" : devices + "; ") + found.findings().stream()
                .map(finding -> finding.replaceFirst(";.*", "")).collect(Collectors.joining("; "));
    }

    @Override
    public List<String> explain() {
        List<String> lines = new ArrayList<>(found.findings());
        lines.add("verbs: " + verbs);
        for (NetProperties device : properties) {
            lines.add("device " + device.name() + ": " + device.speedMbps() + " Mb/s, messages up to "
                    + device.maxP2pBytes() + " bytes, " + (device.takesDmaBuf() ? "takes" : "does not take")
                    + " memory of GPUs by dma-buf");
        }
        lines.add("queue pairs of a connection: " + settings.data().pairsPerPort() + " at each port, a message goes by "
                + (settings.data().isSplit() ? "all" : "one") + " of a port; see " + IbOptions.QPS_PER_CONNECTION
                + " and " + IbOptions.SPLIT_DATA_ON_QPS);
        if (!config.get(IbOptions.FORCE_MERGE).isEmpty() && config.get(IbOptions.MERGE_NICS) == 0) {
            lines.add(IbOptions.FORCE_MERGE + ": no effect, " + IbOptions.MERGE_NICS + " is 0");
        }
        for (Option<Integer> option : IDLE_OPTIONS) {
            if (!config.get(option).equals(option.defaultValue())) {
                lines.add(option + ": " + option.description());
            }
        }
        return List.copyOf(lines);
    }

    @Override
    public NetListenComm listen(int dev) {
        IbDevice device = found.devices().get(checked(dev));
        ControlListener listener = control.listen();
        try {
            return new IbListenComm(this, device, listener);
        } catch (RuntimeException | Error e) {
            listener.close();
            throw e;
        }
    }

    @Override
    public NetConnectComm connect(int dev, ByteBuffer handle) {
        IbDevice device = found.devices().get(checked(dev));
        IbHandle decoded = IbHandle.decode(handle);
        return new IbConnectComm(this, device, decoded, control.dial(decoded.control()));
    }

    /** Sets a connection up in a thread of its own. The socket is the attempt's, or the comm's that it makes. */
    <C extends IbComm> Attempt<C> attempt(IbDevice device, ControlSocket socket, Function<SetUp, C> action) {
        long deadlineNs = System.nanoTime() + control.timeoutNs();
        return closingIfItFails(socket, () -> Attempt.start("proxy-ib-setup-" + settings.rank(),
                isCancelled -> closingIfItFails(socket, () -> action.apply(
                        new SetUp(this, device, socket, new SetUpWire(socket, isCancelled, deadlineNs))))));
    }

    /** Makes queue pairs of a connection anew, in a thread of its own. The socket stays as it is. */
    Attempt<Endpoint> attemptAgain(IbDevice device, ControlSocket socket, Function<SetUp, Endpoint> action) {
        long deadlineNs = System.nanoTime() + control.timeoutNs();
        return Attempt.start("proxy-ib-setup-" + settings.rank(), isCancelled -> action.apply(
                new SetUp(this, device, socket, new SetUpWire(socket, isCancelled, deadlineNs))));
    }

    private static <T> T closingIfItFails(ControlSocket socket, Supplier<T> action) {
        try {
            return action.get();
        } catch (RuntimeException | Error e) {
            socket.close();
            throw e;
        }
    }

    /** A comm is handed over. */
    void join(IbComm comm) {
        watch(comm.peer());
        comm.end.attach(comm);
        synchronized (comms) {
            comms.add(comm);
        }
    }

    void watch(PeerWatch.Peer peer) {
        watch.watch(peer);
    }

    void release(PeerWatch.Peer peer) {
        watch.release(peer);
    }

    /** Leaves a comm alone from now on, ahead of its being closed. */
    void leave(IbComm comm) {
        synchronized (comms) {
            comms.remove(comm);
        }
        comm.end.detach();
    }

    /** A comm was closed. */
    void forget() {
        watch.forgetClosed();
    }

    @Override
    public int testBatch(int n, NetComm[] batch, long[] requests, int[] results, long[][] sizes) {
        poll();
        return NetPlugin.super.testBatch(n, batch, requests, results, sizes);
    }

    @Override
    public void poll() {
        look();
        if (isRestless) {
            drive();
        }
    }

    /** From now on a comm has something to do, whether it has requests or not. Any thread. */
    void restless() {
        isRestless = true;
    }

    /** Moves those on. Under the lock, so that no comm is closed meanwhile. */
    private void drive() {
        isRestless = false;
        synchronized (comms) {
            for (int i = 0; i < comms.size(); i++) {
                if (comms.get(i).isRestless()) {
                    comms.get(i).progress();
                    isRestless = true;
                }
            }
        }
    }

    /** One look at each queue tells of all of its connections. Returns how many completions there were. */
    private int look() {
        int all = 0;
        for (int i = 0; i < found.adapters().size(); i++) {
            all += found.adapters().get(i).queues().look();
        }
        return all;
    }

    /** {@inheritDoc} Queues are looked at again and again, ever more seldom. */
    @Override
    public void park(long maxNs) {
        long beginNs = System.nanoTime();
        long sleepNs = SHORTEST_SLEEP_NS;
        long leftNs = maxNs;
        while (leftNs > 0 && !isMoving()) {
            LockSupport.parkNanos(Math.min(leftNs, sleepNs));
            if (Thread.currentThread().isInterrupted()) {
                return;
            }
            sleepNs = Math.min(2 * sleepNs, LONGEST_SLEEP_NS);
            leftNs = maxNs - (System.nanoTime() - beginNs);
        }
    }

    /** Under the lock, so that no comm is closed meanwhile. */
    private boolean isMoving() {
        synchronized (comms) {
            boolean isMoving = look() > 0;
            for (int i = 0; i < comms.size(); i++) {
                isMoving |= comms.get(i).isNews();
                isMoving |= comms.get(i).progress();
            }
            return isMoving;
        }
    }

    @Override
    public void close() {
        if (isClosed) {
            return;
        }
        isClosed = true;
        new Closing().add(watch).add(registry).add(found).end();
    }

    private int checked(int dev) {
        if (dev < 0 || dev >= devices()) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT,
                    "device " + dev + " is none of the " + devices() + " of network " + NAME);
        }
        return dev;
    }
}

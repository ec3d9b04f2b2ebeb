/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.socket;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.transport.net.SocketOptions;
import io.proxyrt.transport.net.spi.NetComm;
import io.proxyrt.transport.net.spi.NetConnectComm;
import io.proxyrt.transport.net.spi.NetListenComm;
import io.proxyrt.transport.net.spi.NetPlugin;
import io.proxyrt.transport.net.spi.NetProperties;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** The socket network. Its devices are interfaces. */
final class SocketNet implements NetPlugin {
    static final String NAME = "Socket";
    private static final int DEFAULT_SPEED_MBPS = 10_000;
    /** More than one thread moves. */
    private static final int FAST_MBPS = 25_000;
    private static final int MAX_COMMS = 65_536;
    private static final long MAX_P2P_BYTES = 1L << 40;
    private static final Path SYSFS = Path.of("/sys/class/net");

    private final SocketSettings settings;
    private final SocketEngine engine;
    private final SocketReadiness readiness = new SocketReadiness();
    /** Null if connections that break are not resumed. */
    private final SocketKeeper keeper;
    private final InterfaceChoice interfaces;
    private final List<NetProperties> properties;
    private final List<SocketLayout> layouts;

    SocketNet(SocketSettings settings, SocketEngine engine, InterfaceChoice interfaces) {
        this.settings = settings;
        this.engine = engine;
        this.keeper = settings.safety().resumeNs() > 0 ? SocketKeeper.start(settings) : null;
        this.interfaces = interfaces;
        try {
            this.properties = IntStream.range(0, interfaces.chosen().size()).mapToObj(this::look).toList();
            int processors = Runtime.getRuntime().availableProcessors();
            this.layouts = interfaces.chosen().stream().map(device -> SocketLayout.of(settings.sharing(),
                    vendor(device.name()), isFast(device), processors)).toList();
        } catch (RuntimeException | Error e) {
            close();
            throw e;
        }
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public int devices() {
        return interfaces.chosen().size();
    }

    @Override
    public NetProperties properties(int dev) {
        return properties.get(checked(dev));
    }

    @Override
    public String describe() {
        return NAME + ": " + interfaces.findings().stream().map(finding -> finding.replaceFirst(";.*", ""))
                .collect(Collectors.joining("; "));
    }

    @Override
    public List<String> explain() {
        List<String> lines = new ArrayList<>(interfaces.findings());
        for (int i = 0; i < devices(); i++) {
            InterfaceChoice.Device device = interfaces.chosen().get(i);
            lines.add("peers dial: " + InterfaceChoice.text(device.address()) + " for " + device.name()
                    + ", at the port that the listening socket gets");
            lines.add("sockets of " + device.name() + ": " + layouts.get(i) + "; see " + SocketOptions.THREADS + " and "
                    + SocketOptions.SOCKETS_PER_THREAD);
        }
        lines.add("a connection that breaks: " + (keeper == null ? "fails at once" : "has "
                + settings.safety().resumeNs() / 1_000_000 + " ms to come back") + "; see " + SocketOptions.RESUME);
        lines.add("ports: " + settings.ports() + ", see " + SocketOptions.PORTS);
        lines.add("engine: " + engine);
        return List.copyOf(lines);
    }

    @Override
    public NetListenComm listen(int dev) {
        SocketLayout layout = layouts.get(checked(dev));
        SocketTerms terms = new SocketTerms(layout.sockets(), settings.sharing().chunkBytes(),
                settings.safety().flags());
        return SocketListenComm.open(settings, factory(layout), interfaces.chosen().get(dev).address(), terms);
    }

    @Override
    public NetConnectComm connect(int dev, ByteBuffer handle) {
        SocketCommFactory factory = factory(layouts.get(checked(dev)));
        return new SocketConnectComm(settings, SocketHandle.decode(handle), factory);
    }

    @Override
    public int testBatch(int n, NetComm[] comms, long[] requests, int[] results, long[][] sizes) {
        readiness.poll();
        return NetPlugin.super.testBatch(n, comms, requests, results, sizes);
    }

    @Override
    public void poll() {
        readiness.poll();
    }

    @Override
    public void park(long maxNs) {
        readiness.park(maxNs);
    }

    @Override
    public void close() {
        if (keeper != null) {
            keeper.close();
        }
        readiness.close();
    }

    private SocketCommFactory factory(SocketLayout layout) {
        return new SocketCommFactory(settings, engine, readiness, keeper, layout.threads());
    }

    private int checked(int dev) {
        if (dev < 0 || dev >= devices()) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT,
                    "device " + dev + " is none of the " + devices() + " of network " + NAME);
        }
        return dev;
    }

    private NetProperties look(int dev) {
        String name = interfaces.chosen().get(dev).name();
        return new NetProperties(name, pciPath(name), dev, speedMbps(name), MAX_COMMS, 1, MAX_P2P_BYTES);
    }

    private static String pciPath(String name) {
        try {
            return SYSFS.resolve(name).resolve("device").toRealPath().toString();
        } catch (IOException e) {
            return "";
        }
    }

    private static String vendor(String name) {
        try {
            return Files.readString(SYSFS.resolve(name).resolve("device/vendor")).strip();
        } catch (IOException e) {
            return "";
        }
    }

    private static boolean isFast(InterfaceChoice.Device device) {
        return device.address().isLoopbackAddress() || speedMbps(device.name()) > FAST_MBPS;
    }

    private static int speedMbps(String name) {
        try {
            int speed = Integer.parseInt(Files.readString(SYSFS.resolve(name).resolve("speed")).strip());
            return speed > 0 ? speed : DEFAULT_SPEED_MBPS;
        } catch (IOException | NumberFormatException e) {
            return DEFAULT_SPEED_MBPS;
        }
    }
}

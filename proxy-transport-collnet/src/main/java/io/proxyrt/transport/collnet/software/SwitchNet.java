/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.collnet.software;

import io.proxyrt.core.DataType;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.RedOp;
import io.proxyrt.transport.collnet.CollNetOptions;
import io.proxyrt.transport.collnet.spi.CollNetConnectComm;
import io.proxyrt.transport.collnet.spi.CollNetListenComm;
import io.proxyrt.transport.collnet.spi.CollNetPlugin;
import io.proxyrt.transport.collnet.spi.CollNetProperties;
import io.proxyrt.transport.collnet.wire.GroupId;
import io.proxyrt.transport.collnet.wire.WireCredential;
import io.proxyrt.transport.collnet.wire.WireDescriptor;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** The network of switches in software. Its devices are switches; an embedded one where none runs by itself. */
final class SwitchNet implements CollNetPlugin {
    static final String NAME = "Switch";
    private static final String EMBEDDED = "embedded";
    /** What is between here and a switch is not known: NCCL takes the same of sockets. */
    private static final int SPEED_MBPS = 10_000;
    private static final int MAX_COMMS = 65_536;

    private final SwitchSettings settings;
    private final EmbeddedSwitches embedded;
    private final SwitchWaiter waiter = new SwitchWaiter();
    private final List<CollNetProperties> properties;

    SwitchNet(SwitchSettings settings) {
        this.settings = settings;
        this.embedded = new EmbeddedSwitches(settings);
        List<String> names = isEmbedded() ? List.of(EMBEDDED)
                : settings.switches().stream().map(SwitchAddress::toString).toList();
        this.properties = IntStream.range(0, names.size()).mapToObj(dev -> new CollNetProperties(names.get(dev), "",
                dev, SPEED_MBPS, MAX_COMMS, SwitchComm.MAX_BYTES)).toList();
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
    public CollNetProperties properties(int dev) {
        return properties.get(checked(dev));
    }

    @Override
    public boolean reduceSupport(DataType type, RedOp op) {
        return op != RedOp.AVG;
    }

    @Override
    public String describe() {
        return NAME + ": " + (isEmbedded() ? EMBEDDED + " switch, for ranks of one host" : properties.stream()
                .map(each -> "switch " + each.name()).collect(Collectors.joining(", ")));
    }

    @Override
    public List<String> explain() {
        if (isEmbedded()) {
            return List.of("switch: " + EMBEDDED + ", a thread of participant 0, for ranks of this host alone, as "
                    + CollNetOptions.SWITCH + " is empty; set it to host:port of what proxyrt collnet-switch runs");
        }
        List<String> lines = new ArrayList<>();
        for (int dev = 0; dev < devices(); dev++) {
            lines.add("switch: " + properties.get(dev).name() + ", device " + dev + ", as " + CollNetOptions.SWITCH
                    + " says; not asked yet whether it is there");
        }
        lines.add("secret: " + settings.secret());
        return List.copyOf(lines);
    }

    @Override
    public CollNetListenComm listen(int dev) {
        checked(dev);
        return isEmbedded() ? SwitchListenComm.withSocket(settings.host())
                : SwitchListenComm.withoutSocket(settings.host());
    }

    @Override
    public CollNetConnectComm connect(int dev, List<ByteBuffer> handles, int rank, CollNetListenComm listen) {
        checked(dev);
        if (handles.isEmpty() || handles.size() > WireDescriptor.MAX_RANKS || rank < 0 || rank >= handles.size()) {
            throw invalid("there is no participant " + rank + " among " + handles.size());
        }
        List<SwitchHandle> all = handles.stream().map(SwitchHandle::decode).toList();
        if (!(listen instanceof SwitchListenComm own) || !own.is(all.get(rank))) {
            throw invalid("the handle of participant " + rank + " is not that of its listening comm");
        }
        for (int i = 0; i < all.size(); i++) {
            requireSame(all.getFirst(), all.get(i), i);
        }
        return isEmbedded() ? toEmbedded(all, rank, own) : toStandalone(dev, all, rank);
    }

    @Override
    public void park(long maxNs) {
        waiter.park(maxNs);
    }

    @Override
    public void close() {
        waiter.close();
        embedded.close();
    }

    private boolean isEmbedded() {
        return settings.switches().isEmpty();
    }

    private int checked(int dev) {
        if (dev < 0 || dev >= devices()) {
            throw invalid("device " + dev + " is none of the " + devices() + " of network " + NAME);
        }
        return dev;
    }

    private static ProxyException invalid(String detail) {
        return new ProxyException(ProxyResult.INVALID_ARGUMENT, detail);
    }

    private static void requireSame(SwitchHandle first, SwitchHandle other, int rank) {
        if (first.isEmbedded() != other.isEmbedded()) {
            throw new ProxyException(ProxyResult.INVALID_USAGE, "participant " + (first.isEmbedded() ? 0 : rank)
                    + " knows of no switch, but participant " + (first.isEmbedded() ? rank : 0) + " does: set "
                    + CollNetOptions.SWITCH + " (" + CollNetOptions.SWITCH.environmentName() + ") throughout the job");
        }
        if (first.isEmbedded() && !first.host().equals(other.host())) {
            throw new ProxyException(ProxyResult.INVALID_USAGE, "participants 0 and " + rank + " are on different "
                    + "hosts, or in different network namespaces, and no switch is set: run proxyrt collnet-switch "
                    + "where all of them reach it, and set " + CollNetOptions.SWITCH + " ("
                    + CollNetOptions.SWITCH.environmentName() + ") to its host:port throughout the job");
        }
    }

    private CollNetConnectComm toStandalone(int dev, List<SwitchHandle> handles, int rank) {
        return connect(new SwitchTarget(false, settings.switches().get(dev), settings.credential(),
                GroupId.of(handles.getFirst().key()), handles.size(), rank, settings.name()), () -> { });
    }

    private CollNetConnectComm toEmbedded(List<SwitchHandle> handles, int rank, SwitchListenComm listen) {
        SwitchHandle first = handles.getFirst();
        SwitchTarget target = new SwitchTarget(true, SwitchAddress.ofLoopback(first.port()),
                WireCredential.ofGroup(settings.config(), first.key()), GroupId.of(first.key()), handles.size(), rank,
                settings.name());
        if (rank > 0) {
            listen.close();
            return connect(target, () -> { });
        }
        Runnable end = embedded.start(listen.take(), first.key());
        try {
            return connect(target, end);
        } catch (RuntimeException | Error e) {
            end.run();
            throw e;
        }
    }

    private CollNetConnectComm connect(SwitchTarget target, Runnable whenOver) {
        return new SwitchConnectComm(settings, target, waiter, whenOver);
    }
}

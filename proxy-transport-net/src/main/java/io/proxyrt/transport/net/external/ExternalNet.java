/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.external;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.Subsystem;
import io.proxyrt.core.config.Option;
import io.proxyrt.core.plugin.NetLibrary;
import io.proxyrt.core.plugin.NetLibraryProperties;
import io.proxyrt.core.plugin.PluginUse;
import io.proxyrt.core.plugin.SetUpThread;
import io.proxyrt.transport.net.spi.NetConnectComm;
import io.proxyrt.transport.net.spi.NetListenComm;
import io.proxyrt.transport.net.spi.NetPlugin;
import io.proxyrt.transport.net.spi.NetProperties;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.slf4j.Logger;

/** The network of a plug-in, for one runtime. */
final class ExternalNet implements NetPlugin {
    static final Logger LOG = Subsystem.NET.logger("plugin");

    private final NetLibrary library;
    private final Option<String> option;
    private final PluginUse use;
    private final List<ExternalDevice> devices = new ArrayList<>();
    private final List<String> findings = new ArrayList<>();
    private final SetUpThread connector = new SetUpThread("proxyrt-plugin-connect");
    private final SetUpThread acceptor = new SetUpThread("proxyrt-plugin-accept");

    private ExternalNet(NetLibrary library, Option<String> option) {
        this.library = library;
        this.option = option;
        this.use = new PluginUse(library, () -> {
            connector.close();
            acceptor.close();
        });
    }

    /**
     * Initializes the plug-in and looks at its devices. Takes as long as the plug-in does.
     *
     * @param library of the plug-in
     * @param option  that would choose another one
     * @return owned by the caller; without devices if the plug-in has none that can be used
     * @throws ProxyException if the plug-in fails
     */
    static ExternalNet open(NetLibrary library, Option<String> option) {
        ExternalNet net = new ExternalNet(library, option);
        try {
            String wrong = library.eachDevice(net::look);
            if (!wrong.isEmpty()) {
                net.findings.add(wrong);
            }
            return net;
        } catch (RuntimeException | Error e) {
            net.close();
            throw e;
        }
    }

    private void look(int dev, NetLibraryProperties told) {
        String whyNot = ExternalDevice.whyNot(told);
        String subject = told.label(dev) + ": ";
        if (!whyNot.isEmpty()) {
            findings.add(subject + "not used, " + whyNot);
            return;
        }
        ExternalDevice device = new ExternalDevice(dev, told);
        devices.add(device);
        findings.add(subject + "used, number " + dev + " of the plug-in; messages of up to "
                + device.properties().maxP2pBytes() + " bytes, " + device.maxRequests() + " under way on a connection, "
                + "memory of " + (device.properties().takesDmaBuf() ? "the host and dma-bufs" : "the host")
                + ", registered for " + (device.isRegGlobal() ? "all connections" : "each connection"));
    }

    NetLibrary library() {
        return library;
    }

    PluginUse use() {
        return use;
    }

    SetUpThread connector() {
        return connector;
    }

    SetUpThread acceptor() {
        return acceptor;
    }

    @Override
    public String name() {
        return library.name();
    }

    @Override
    public int devices() {
        return devices.size();
    }

    @Override
    public NetProperties properties(int dev) {
        return device(dev).properties();
    }

    @Override
    public boolean isRegistrationGlobal(int dev) {
        return device(dev).isRegGlobal();
    }

    @Override
    public String describe() {
        return name() + ": " + (devices.isEmpty() ? String.join("; ", findings)
                : devices.stream().map(device -> device.properties().name()).collect(Collectors.joining(", ")))
                + " (plug-in " + library.file() + ", ncclNet_v" + library.version() + ")";
    }

    @Override
    public List<String> explain() {
        List<String> lines = new ArrayList<>(findings);
        lines.add("plug-in: " + library.file() + ", by its ncclNet_v" + library.version() + "; another by "
                + option + " or " + option.alias());
        return List.copyOf(lines);
    }

    @Override
    public NetListenComm listen(int dev) {
        use.requirePlatformThread();
        return ExternalListenComm.open(this, device(dev));
    }

    @Override
    public NetConnectComm connect(int dev, ByteBuffer handle) {
        use.requirePlatformThread();
        ExternalDevice device = device(dev);
        if (handle.remaining() != HANDLE_BYTES || handle.equals(ByteBuffer.allocate(HANDLE_BYTES))) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, "a handle of " + handle.remaining() + " bytes is "
                    + "none of " + device.describe(library) + ", whose have " + HANDLE_BYTES + " and are not empty; do "
                    + "all ranks use the same network?");
        }
        return new ExternalConnectComm(this, device, handle);
    }

    /** {@inheritDoc} What is closed too late finds its plug-in as it was. */
    @Override
    public void close() {
        use.close();
    }

    private ExternalDevice device(int dev) {
        if (dev < 0 || dev >= devices.size()) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT,
                    "device " + dev + " is none of the " + devices.size() + " of network " + name());
        }
        return devices.get(dev);
    }
}

/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.collnet.external;

import io.proxyrt.core.DataType;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.RedOp;
import io.proxyrt.core.Subsystem;
import io.proxyrt.core.config.Option;
import io.proxyrt.core.plugin.CollNetLibrary;
import io.proxyrt.core.plugin.NetLibraryProperties;
import io.proxyrt.core.plugin.PluginUse;
import io.proxyrt.core.progress.CollNetSupport;
import io.proxyrt.transport.collnet.spi.CollNetConnectComm;
import io.proxyrt.transport.collnet.spi.CollNetListenComm;
import io.proxyrt.transport.collnet.spi.CollNetPlugin;
import io.proxyrt.transport.collnet.spi.CollNetProperties;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.slf4j.Logger;

/** The network of a plug-in, for one runtime. */
final class ExternalCollNet implements CollNetPlugin {
    static final Logger LOG = Subsystem.NET.logger("plugin");

    private final CollNetLibrary library;
    private final Option<String> option;
    private final PluginUse use;
    private final List<ExternalDevice> devices = new ArrayList<>();
    private final List<String> findings = new ArrayList<>();
    private CollNetSupport support = CollNetSupport.NONE;

    private ExternalCollNet(CollNetLibrary library, Option<String> option) {
        this.library = library;
        this.option = option;
        this.use = new PluginUse(library, () -> { });
    }

    /**
     * Initializes the plug-in, looks at its devices, and asks what it reduces. Takes as long as the plug-in does.
     *
     * @param library of the plug-in
     * @param option  that would choose another one
     * @return owned by the caller; without devices if the plug-in has none that can be used
     * @throws ProxyException if the plug-in fails
     */
    static ExternalCollNet open(CollNetLibrary library, Option<String> option) {
        ExternalCollNet net = new ExternalCollNet(library, option);
        try {
            String wrong = library.eachDevice(net::look);
            if (!wrong.isEmpty()) {
                net.findings.add(wrong);
            }
            if (!net.devices.isEmpty()) {
                net.support = CollNetSupport.of(net.name(), net.devices.size(), net::asked);
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
        findings.add(subject + "used, number " + dev + " of the plug-in; calls of up to " + device.maxBytes()
                + " bytes, " + ExternalComm.MAX_CALLS + " under way on a comm, memory of "
                + (device.takesDmaBuf() ? "the host and dma-bufs" : "the host"));
    }

    /** An average is no reduction of a network. */
    private boolean asked(DataType type, RedOp op) {
        if (op == RedOp.AVG) {
            return false;
        }
        try {
            return library.reduces(type, op);
        } catch (ProxyException e) {
            findings.add(op.label() + " of " + type.label() + ": not reduced, " + e.getMessage());
            return false;
        }
    }

    CollNetLibrary library() {
        return library;
    }

    PluginUse use() {
        return use;
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
    public CollNetProperties properties(int dev) {
        return device(dev).properties();
    }

    @Override
    public boolean reduceSupport(DataType type, RedOp op) {
        return support.reduces(type, op);
    }

    @Override
    public boolean hasWindows() {
        return library.hasWindows();
    }

    @Override
    public String describe() {
        return name() + ": " + (devices.isEmpty() ? String.join("; ", findings)
                : devices.stream().map(device -> device.properties().name()).collect(Collectors.joining(", ")))
                + " (plug-in " + table() + ")";
    }

    private String table() {
        return library.file() + ", ncclCollNet_v" + library.version();
    }

    @Override
    public List<String> explain() {
        List<String> lines = new ArrayList<>(findings);
        lines.add("collectives: " + (library.hasWindows() ? "all_reduce, all_gather and reduce_scatter"
                : "all_reduce alone, for the plug-in has no iallgather and no ireducescatter, which came with version "
                        + "8; a newer plug-in may have them"));
        lines.add("plug-in: " + table() + "; another by " + option + " or " + option.alias());
        return List.copyOf(lines);
    }

    @Override
    public CollNetListenComm listen(int dev) {
        use.requirePlatformThread();
        return ExternalListenComm.open(this, device(dev));
    }

    @Override
    public CollNetConnectComm connect(int dev, List<ByteBuffer> handles, int rank, CollNetListenComm listen) {
        use.requirePlatformThread();
        ExternalDevice device = device(dev);
        if (!(listen instanceof ExternalListenComm own) || !own.isUsable(this, device)) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, "the listener is none of " + device.describe(library)
                    + ", or was closed");
        }
        if (rank < 0 || rank >= handles.size() || !handles.get(rank).equals(own.handle())) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, "rank " + rank + " of " + handles.size()
                    + " participants is not the one that listens on " + device.describe(library));
        }
        for (int i = 0; i < handles.size(); i++) {
            checkHandle(device, i, handles.get(i));
        }
        return new ExternalConnectComm(this, device, handles, rank, own);
    }

    private void checkHandle(ExternalDevice device, int rank, ByteBuffer handle) {
        if (handle.remaining() != HANDLE_BYTES || handle.equals(ByteBuffer.allocate(HANDLE_BYTES))) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, "a handle of " + handle.remaining() + " bytes, rank "
                    + rank + "'s, is none of " + device.describe(library) + ", whose have " + HANDLE_BYTES
                    + " and are not empty; do all ranks use the same network?");
        }
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

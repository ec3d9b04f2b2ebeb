/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.topology;

import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.platform.NvidiaDriver;
import io.proxyrt.core.platform.Topology;
import io.proxyrt.core.progress.TransportAdapter;
import io.proxyrt.topology.xml.XmlDocument;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;

/** Finds what a host is made of, and remembers it, unless the GPUs' driver may tell more. Any thread. */
final class HostMachines {
    private static final NvidiaDriver NOT_ASKED = (gpus, patience) -> new NvidiaDriver.Answer(List.of(), List.of(),
            true);

    private final Supplier<Topology> host;
    private final Supplier<NvidiaDriver> driver;
    private final Recent<Source, Found> recent = new Recent<>(Found::isFinal);

    /**
     * What a machine is found from.
     *
     * @param file     that says it; empty for the system
     * @param text     of the file
     * @param adapters of the network
     * @param links    whether GPUs' drivers are asked: one that is not loaded yet may take seconds
     */
    private record Source(String file, String text, List<TransportAdapter> adapters, boolean links) {
    }

    /** A machine, and whether it holds for as long as the process lives. */
    private record Found(HostMachine machine, boolean isFinal) {
    }

    /**
     * Of a host.
     *
     * @param host   looked at when a machine is found
     * @param driver asked then
     */
    HostMachines(Supplier<Topology> host, Supplier<NvidiaDriver> driver) {
        this.host = host;
        this.driver = driver;
    }

    HostMachine find(ProxyConfig config, List<TransportAdapter> adapters, boolean links) {
        String file = config.get(TopologyOptions.TOPO_FILE);
        String text = file.isEmpty() ? "" : XmlDocument.text(Path.of(file));
        Source source = new Source(file, text, List.copyOf(adapters), links && file.isEmpty());
        return recent.get(source, wanted -> find(wanted, config.get(CoreOptions.CONNECT_TIMEOUT))).machine
                .with(config.get(TopologyOptions.NETDEVS_POLICY));
    }

    private Found find(Source source, Duration patience) {
        return source.file.isEmpty() ? ofHost(source, patience)
                : new Found(SystemXml.parse(source.file, source.text).with(source.adapters), true);
    }

    private Found ofHost(Source source, Duration patience) {
        Topology topology = host.get();
        SystemDetection detection = new SystemDetection(topology, source.links ? driver.get() : NOT_ASKED, patience);
        boolean knowsAdapters = source.adapters.stream()
                .anyMatch(adapter -> topology.pciDeviceAt(adapter.pciPath()).isPresent());
        return new Found(new HostMachine(detection.with(source.adapters), knowsAdapters, NetDevsPolicy.AUTO),
                detection.isFinal());
    }
}

/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.runtime;

import io.proxyrt.core.PeerId;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.Subsystem;
import io.proxyrt.core.ThreadingMode;
import io.proxyrt.core.agent.Agent;
import io.proxyrt.core.agent.thread.CpuLatency;
import io.proxyrt.core.agent.thread.ThreadSetup;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.JobSecret;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.counters.ActiveSnapshot;
import io.proxyrt.core.counters.AsyncResult;
import io.proxyrt.core.counters.Counters;
import io.proxyrt.core.device.Device;
import io.proxyrt.core.device.host.Devices;
import io.proxyrt.core.device.host.HostPlacement;
import io.proxyrt.core.diagnosis.Mailbox;
import io.proxyrt.core.directory.RuntimeDirectory;
import io.proxyrt.core.op.OpsPool;
import io.proxyrt.core.platform.Platform;
import io.proxyrt.core.progress.PeerProcess;
import io.proxyrt.core.progress.ProgressAgent;
import io.proxyrt.core.progress.TransportContext;
import io.proxyrt.core.service.ConnectionService;
import io.proxyrt.core.service.ConnectionTable;
import io.proxyrt.core.service.LiveTransports;
import io.proxyrt.core.service.MemoryExports;
import io.proxyrt.core.service.NearEndpoint;
import io.proxyrt.core.service.PeerWatches;
import io.proxyrt.core.service.ServiceAgent;
import io.proxyrt.core.service.ServiceContext;
import io.proxyrt.core.service.ServiceEndpoint;
import io.proxyrt.core.service.ServiceEndpointProvider;
import io.proxyrt.core.service.UdsAgent;
import io.proxyrt.core.service.UdsEndpoint;
import io.proxyrt.core.service.UdsEndpointProvider;
import io.proxyrt.core.service.message.Farewell;
import io.proxyrt.core.transport.Copiers;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.slf4j.Logger;

/** The parts of a runtime: put together in the order of their needs, released the other way round. */
final class ProxyAssembly {
    private static final Logger LOGGER = Subsystem.INIT.logger();
    /** Where the service shares its thread, deadlines of the other agent's peers do not end its sleep. */
    private static final Duration SHARED_PARK = Duration.ofMillis(50);
    /** And a look at those sockets costs as much as dozens of ops. */
    private static final Duration SHARED_INTERVAL = Duration.ofMillis(1);
    private static final Duration LONGEST_PARK = Duration.ofHours(1);

    final PeerId self;
    /** As the device fits it. */
    final ProxyConfig config;
    final PeerProcess process;
    final Platform platform = Platform.find();
    final ThreadSetup threadSetup;
    /** Null if none is asked for. */
    final CpuLatency cpuLatency;
    final Device device;
    final Copiers copiers;
    final RuntimeDirectory directory;
    final Counters counters;
    final AsyncResult asyncResult;
    final OpsPool pool;
    final Transports transports;
    /** Of the connections that there are. */
    final LiveTransports liveTransports;
    final ProgressAgent progress;
    final MemoryExports exports;
    final UdsMemorySharing memory;
    final HostWatch host;
    final ConnectionService connections;
    final ServiceEndpoint endpoint;
    final PeerWatches watches;
    final ServiceAgent service;
    /** Null if there is none; then the reason is in {@link #whyNoUds}. */
    final UdsEndpoint udsEndpoint;
    final UdsAgent uds;
    private final List<Runnable> opened = new ArrayList<>();
    private String whyNoUds = "";

    ProxyAssembly(ProxyStateBuilder builder, ProxyConfig asked, HostWatch host, Consumer<ProxyException> onAbort,
            Runnable driver) {
        this.host = host;
        this.process = PeerProcess.own(asked);
        this.self = new PeerId(builder.rank(), new SecureRandom().nextLong());
        this.memory = new UdsMemorySharing(self.rank(), this,
                asked.get(CoreOptions.THREADING) == ThreadingMode.INVOKER ? driver : null);
        this.threadSetup = ThreadSetup.of(platform, asked, self.rank());
        this.copiers = new Copiers(platform, asked, self.rank());
        ServiceEndpointProvider endpoints = endpointProvider();
        boolean isDone = false;
        try {
            this.directory = RuntimeDirectory.create(asked, self.rank());
            opened.add(directory::close);
            Mailbox mailbox = new Mailbox(self.rank(), builder.nRanks(), directory, builder.remote());
            opened.add(mailbox::close);
            this.cpuLatency = cpuLatency(asked);
            this.counters = Counters.create(directory.counters(), builder.job(), self.rank(), builder.nRanks(),
                    asked.get(CoreOptions.BLACK_BOX_EVENTS));
            opened.add(counters::close);
            this.asyncResult = new AsyncResult(counters);
            this.pool = OpsPool.create(opsPool(), self.rank(), asked, placement(asked));
            opened.add(pool::close);
            this.device = device(builder.device(), asked);
            this.config = DeviceDefaults.fit(asked, device.attributes().kind(),
                    Runtime.getRuntime().availableProcessors());
            TransportContext context = new TransportContext(config, self.rank(), device, counters, memory);
            this.transports = new Transports(context, builder.transports());
            opened.add(transports::close);
            this.exports = new MemoryExports(context, System::nanoTime);
            opened.add(exports::close);
            ConnectionTable table = new ConnectionTable();
            this.liveTransports = table.transports();
            this.progress = new ProgressAgent(self.rank(), pool, table, counters, asyncResult, config,
                    System::nanoTime, liveTransports::poll);
            this.connections = new ConnectionService(new ServiceContext(self, context, transports.byId(), progress,
                    pool, exports, onAbort, System::nanoTime), table);
            JobSecret secret = builder.secret(config);
            this.endpoint = new NearEndpoint(endpoints.open(config, self, secret, connections), self, secret,
                    connections);
            this.udsEndpoint = udsEndpoint(secret);
            memory.enter(secret);
            opened.add(memory::leave);
            this.uds = udsEndpoint == null ? null : new UdsAgent(self.rank(), udsEndpoint, exports, counters,
                    isShared() ? SHARED_INTERVAL : Duration.ZERO);
            this.watches = new PeerWatches(connections, asyncResult, endpoint::connect);
            this.service = new ServiceAgent(self.rank(), endpoint, connections, watches, pool,
                    () -> lookAround(host, mailbox), counters,
                    uds != null && isShared() ? SHARED_PARK : LONGEST_PARK);
            takeSignal(builder);
            showToJmx(builder.nRanks());
            isDone = true;
        } finally {
            if (!isDone) {
                giveUp();
            }
        }
    }

    private void takeSignal(ProxyStateBuilder builder) {
        String title = "rank " + self.rank() + " of " + builder.nRanks() + ", job " + builder.job();
        DumpSignal signal = DumpSignal.of(config, () -> Stream.concat(Stream.of(title),
                dump(counters).stream()).toList(), LOGGER::warn);
        if (signal != null) {
            opened.add(signal::close);
        }
    }

    /** The active ops of a runtime that is open, for people. */
    static List<String> dump(Counters counters) {
        return counters.active().map(ActiveSnapshot::lines).orElse(List.of("no op yet"));
    }

    private void showToJmx(int nRanks) {
        if (config.get(CoreOptions.JMX)) {
            if (ModuleLayer.boot().findModule("java.management").isEmpty()) {
                throw new ProxyException(ProxyResult.INVALID_ARGUMENT, "rank " + self.rank() + ": " + CoreOptions.JMX
                        + " needs the module java.management, which this JVM has not: start it with --add-modules "
                        + "java.management");
            }
            opened.add(RuntimeBean.register(nRanks, counters, asyncResult, opsPool().getParent())::close);
        }
    }

    /** What peers are told when the runtime closes; before what is left of its ops is dropped. */
    Farewell farewell(List<String> kernels) {
        ProxyException failure = asyncResult.failure();
        if (failure != null) {
            return Farewell.of(failure);
        }
        List<String> unfinished = new ArrayList<>(kernels);
        if (pool.outstanding() > 0) {
            unfinished.add(pool.outstanding() + " ops");
        }
        return new Farewell(false, Farewell.UNKNOWN, "it closed its runtime"
                + (unfinished.isEmpty() ? "" : " and gave up " + String.join(", ", unfinished)));
    }

    Path opsPool() {
        return directory.ops();
    }

    /** Empty if there is a UDS thread. */
    String whyNoUds() {
        return whyNoUds;
    }

    /** Not started yet. If they cannot be made, everything is given back. */
    AgentThreads makeThreads(BiConsumer<Agent, Throwable> onBug) {
        try {
            return new AgentThreads(this, onBug);
        } catch (RuntimeException | Error e) {
            giveUp();
            throw e;
        }
    }

    /** The service and the UDS agent were never driven: their sockets are closed here. */
    private void giveUp() {
        if (udsEndpoint != null) {
            giveBack(udsEndpoint::onClose);
        }
        if (endpoint != null) {
            giveBack(endpoint::onClose);
        }
        release();
    }

    /** Gives everything back, when the agents have ended. */
    void release() {
        if (connections != null) {
            giveBack(connections::freeAll);
        }
        opened.reversed().forEach(this::giveBack);
        opened.clear();
    }

    /** One thing that fails keeps no other. */
    private void giveBack(Runnable close) {
        try {
            close.run();
        } catch (RuntimeException | Error e) {
            LOGGER.error("rank {} did not give everything back", self.rank(), e);
        }
    }

    private Consumer<MemorySegment> placement(ProxyConfig config) {
        return config.get(CoreOptions.NUMA_NODE).isEmpty() ? memory -> { } : HostPlacement.of(platform, config)::keep;
    }

    private CpuLatency cpuLatency(ProxyConfig config) {
        CpuLatency limit = CpuLatency.of(config, self.rank());
        if (limit != null) {
            opened.add(limit::close);
        }
        return limit;
    }

    /** Whether the service and the UDS agent have one thread. */
    boolean isShared() {
        ThreadingMode mode = config.get(CoreOptions.THREADING);
        return mode == ThreadingMode.SHARED || mode == ThreadingMode.SHARED_CONTROL;
    }

    private Device device(Device given, ProxyConfig config) {
        if (given != null) {
            return given;
        }
        Device own = Devices.open(config.get(CoreOptions.DEVICE), self.rank(), config);
        opened.add(own::close);
        return own;
    }

    private static void lookAround(HostWatch host, Mailbox mailbox) {
        host.look();
        mailbox.look();
    }

    private UdsEndpoint udsEndpoint(JobSecret secret) {
        Optional<UdsEndpointProvider> provider = Services.all(UdsEndpointProvider.class).stream().findFirst();
        if (provider.isEmpty()) {
            whyNoUds = "no module provides " + UdsEndpointProvider.class.getName()
                    + "; add proxy-uds to the module path or the class path";
        } else if (!platform.whyNot().isEmpty()) {
            whyNoUds = platform.whyNot();
        } else {
            return openUds(provider.get(), secret);
        }
        return null;
    }

    /** Most jobs need no descriptors: they shall not die of a socket that cannot be had. */
    private UdsEndpoint openUds(UdsEndpointProvider provider, JobSecret secret) {
        try {
            return provider.open(config, self, secret, platform, exports);
        } catch (ProxyException e) {
            whyNoUds = e.getMessage();
            LOGGER.warn("rank {} passes no file descriptors: {}", self.rank(), whyNoUds);
            return null;
        }
    }

    private static ServiceEndpointProvider endpointProvider() {
        return Services.all(ServiceEndpointProvider.class).stream().findFirst()
                .orElseThrow(() -> new ProxyException(ProxyResult.INVALID_USAGE, "no module provides "
                        + ServiceEndpointProvider.class.getName() + "; add proxy-rpc to the module path"));
    }
}

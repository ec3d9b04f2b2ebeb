/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core;

import io.proxyrt.core.agent.Agent;
import io.proxyrt.core.agent.BackoffIdle;
import io.proxyrt.core.agent.ThreadSetup;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.counters.Counters;
import io.proxyrt.core.counters.RuntimeDirectory;
import io.proxyrt.core.device.Device;
import io.proxyrt.core.device.HostDevice;
import io.proxyrt.core.device.HostStream;
import io.proxyrt.core.op.OpInFlight;
import io.proxyrt.core.op.OpsPool;
import io.proxyrt.core.op.OpsPoolClient;
import io.proxyrt.core.op.OpsPoster;
import io.proxyrt.core.progress.ProgressAgent;
import io.proxyrt.core.service.ConnectionService;
import io.proxyrt.core.service.ServiceAgent;
import io.proxyrt.core.spi.ConnectorRequest;
import io.proxyrt.core.spi.PeerId;
import io.proxyrt.core.spi.Platform;
import io.proxyrt.core.spi.ProxyClient;
import io.proxyrt.core.spi.ProxyTransport;
import io.proxyrt.core.spi.ServiceEndpoint;
import io.proxyrt.core.spi.ServiceEndpointProvider;
import io.proxyrt.core.spi.TransportContext;
import java.net.SocketAddress;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;

/**
 * The proxy runtime of one rank: RCCL's {@code ncclProxyState}. It owns the ops pool, the agents and, but for
 * {@link ThreadingMode#INVOKER}, the threads that run them, the connections, and the mapped files in which others can
 * see how it fares.
 *
 * <p>Producers {@linkplain #connector make connections}, {@linkplain #poster() post ops} to them and launch kernels on
 * a {@linkplain #stream stream}; the progress agent carries the data. All methods may be called by any thread unless
 * they say otherwise.
 */
public final class ProxyState implements AutoCloseable {
    private static final int SERVICE_INTERVAL = 256;
    private static final String OPS_FILE = "ops";

    private final int rank;
    private final ProxyConfig config;
    private final Device device;
    private final boolean ownsDevice;
    private final RuntimeDirectory directory;
    private final Counters counters;
    private final AsyncResult asyncResult;
    private final OpsPool pool;
    private final Transports transports;
    private final ProxyTransport soleTransport;
    private final ConnectionService connections;
    private final ServiceEndpoint endpoint;
    private final ProgressAgent progress;
    private final ServiceAgent service;
    private final AgentThreads threads;
    private CompletableFuture<ProxyClient> client;
    private CloseReport closeReport;
    private int invocations;

    private ProxyState(Builder builder) {
        this.rank = builder.rank;
        this.config = builder.config;
        this.ownsDevice = builder.device == null;
        this.device = ownsDevice ? new HostDevice(rank) : builder.device;
        Platform platform = Platform.find();
        ThreadSetup threadSetup = ThreadSetup.of(platform, config, rank);
        PeerId self = new PeerId(rank, new SecureRandom().nextLong());
        ServiceEndpointProvider endpoints = endpointProvider();
        List<Runnable> opened = new ArrayList<>();
        this.directory = RuntimeDirectory.create(config, rank);
        opened.add(directory::close);
        try {
            this.counters = Counters.create(directory.path().resolve("counters"), builder.job, rank, builder.nRanks);
            opened.add(counters::close);
            this.asyncResult = new AsyncResult(counters);
            this.pool = OpsPool.create(opsPool(), rank, config, platform);
            opened.add(pool::close);
            this.transports = new Transports(new TransportContext(config, rank, device, counters));
            opened.add(transports::close);
            this.soleTransport = transports.sole();
            this.connections = new ConnectionService(rank, transports.byId(), counters);
            this.endpoint = endpoints.open(config, self, builder.secret(), connections);
            opened.clear();
        } finally {
            // Empty unless something failed half-way.
            opened.reversed().forEach(Runnable::run);
        }
        this.progress = new ProgressAgent(rank, pool, connections.connections(), counters, asyncResult, config,
                System::nanoTime);
        connections.progress(progress);
        this.service = new ServiceAgent(rank, endpoint, connections, pool, counters);
        this.threads = new AgentThreads(config, threadSetup, progress, service, this::onBug);
        if (threads.isShared()) {
            pool.wakeBy(threads::wakeupService);
        }
        try {
            threads.start();
        } catch (ProxyException e) {
            close(Duration.ZERO);
            throw e;
        }
    }

    /**
     * Starts describing a runtime.
     *
     * @return a builder with rank 0 of 1, the configuration of the environment, and a host device
     */
    public static Builder builder() {
        return new Builder();
    }

    /** Describes a runtime; not thread-safe. */
    public static final class Builder {
        private int rank;
        private int nRanks = 1;
        private JobSecret secret;
        private String job = "";
        private ProxyConfig config;
        private Device device;

        private Builder() {
        }

        /**
         * Sets this rank's place in the job.
         *
         * @param rank   0 to nRanks - 1
         * @param nRanks at least 1
         * @return this
         */
        public Builder rank(int rank, int nRanks) {
            if (rank < 0 || rank >= nRanks) {
                throw new ProxyException(ProxyResult.INVALID_ARGUMENT, "rank " + rank + " of " + nRanks);
            }
            this.rank = rank;
            this.nRanks = nRanks;
            return this;
        }

        /**
         * Sets what only the job's own ranks know.
         *
         * @param secret to know them by
         * @param job    a name for people
         * @return this
         */
        public Builder job(JobSecret secret, String job) {
            this.secret = secret;
            this.job = job;
            return this;
        }

        /**
         * Sets the configuration.
         *
         * @param config in place of the environment's
         * @return this
         */
        public Builder config(ProxyConfig config) {
            this.config = config;
            return this;
        }

        /**
         * Sets the device whose kernels the runtime serves.
         *
         * @param device stays the caller's
         * @return this
         */
        public Builder device(Device device) {
            this.device = device;
            return this;
        }

        /**
         * Opens the service's socket, creates the mapped files and starts the threads.
         *
         * @return running; to be closed by the caller
         * @throws ProxyException {@link ProxyResult#SYSTEM_ERROR} if a port or a file cannot be had,
         *                        {@link ProxyResult#INVALID_USAGE} if a module is missing; what its threads are
         *                        refused of {@link CoreOptions#CPUSET} and {@link CoreOptions#REALTIME_PRIORITY}
         */
        public ProxyState start() {
            if (config == null) {
                config = ProxyConfig.builder().build();
            }
            return new ProxyState(this);
        }

        private JobSecret secret() {
            return secret != null ? secret : JobSecret.of(config).orElseGet(JobSecret::random);
        }
    }

    /**
     * This rank.
     *
     * @return its number
     */
    public int rank() {
        return rank;
    }

    /**
     * The effective settings.
     *
     * @return immutable
     */
    public ProxyConfig config() {
        return config;
    }

    /**
     * Whose kernels the runtime serves.
     *
     * @return the device
     */
    public Device device() {
        return device;
    }

    /**
     * What the runtime counts.
     *
     * @return live
     */
    public Counters counters() {
        return counters;
    }

    /**
     * Where the service listens, for this rank's {@link PeerInfo}.
     *
     * @return host and port, or the path of a Unix-domain socket
     */
    public SocketAddress serviceAddress() {
        return endpoint.address();
    }

    /**
     * The first failure of anything that happened on the runtime's threads.
     *
     * @return live
     */
    public AsyncResult asyncResult() {
        return asyncResult;
    }

    /**
     * The transports of this runtime.
     *
     * @return in RCCL's order of preference
     */
    public List<String> transports() {
        return transports.names();
    }

    /**
     * What a transport found on this host.
     *
     * @param name as {@link #transports()} gives it
     * @return one line for people
     */
    public String describe(String name) {
        return transports.describe(name);
    }

    /**
     * Prepares a connection with the first transport that can carry it.
     *
     * @param request which connection
     * @param name    of the transport to use, or null to choose in RCCL's order
     * @return to be set up
     * @throws ProxyException {@link ProxyResult#SYSTEM_ERROR} with every transport's reason if none can,
     *                        {@link ProxyResult#INVALID_ARGUMENT} if there is none of that name
     */
    public Connector connector(ConnectorRequest request, String name) {
        int id = transports.choose(request, name);
        return new Connector(this, id, transports.byId().get(id), request);
    }

    /**
     * Takes a lane of the ops pool.
     *
     * @return for one thread, which closes it
     * @throws ProxyException {@link ProxyResult#INVALID_USAGE} if all lanes are taken
     */
    public OpsPoster poster() {
        OpsPoster poster = pool.poster();
        if (threads.isInvoker()) {
            poster.driver(this::invoke);
        }
        return poster;
    }

    /**
     * Makes a stream of host kernels. Its thread, if the mode has threads, ends with the runtime.
     *
     * @param name for its thread
     * @return in INVOKER mode to be driven by the caller
     */
    public HostStream stream(String name) {
        HostStream stream = new HostStream(name);
        threads.addStream(stream);
        return stream;
    }

    /**
     * What the operating system knows of each agent's thread: name, CPUs, scheduling, or why that is left to the JVM.
     *
     * @return a line each; blocks until the threads just started are set up
     */
    public List<String> threads() {
        return threads.describe();
    }

    /**
     * Whether the caller drives everything.
     *
     * @return true in {@link ThreadingMode#INVOKER}
     */
    public boolean isInvoker() {
        return threads.isInvoker();
    }

    /**
     * Drives the agents once, in {@link ThreadingMode#INVOKER}; in other modes, and while another thread does it, does
     * nothing. Does not block, allocates nothing.
     *
     * @return how much was done
     */
    public int invoke() {
        return threads.invoke((++invocations & SERVICE_INTERVAL - 1) == 0);
    }

    /**
     * Waits a moment for the network, where the caller drives everything and nothing moves. With one transport the wait
     * ends as soon as it has data. Allocates nothing.
     *
     * @param maxNs longest wait, in nanoseconds
     */
    public void park(long maxNs) {
        if (soleTransport != null) {
            threads.park(soleTransport, maxNs);
        } else {
            LockSupport.parkNanos(maxNs);
        }
    }

    /**
     * Waits for a future of this runtime, and drives the runtime meanwhile if nobody else does.
     *
     * @param <T>     its type
     * @param future  what to wait for
     * @param timeout at most so long
     * @param what    for the message, such as {@code connect to rank 1}
     * @return its value
     * @throws ProxyException the future's own, or {@link ProxyResult#TIMEOUT}
     */
    public <T> T await(CompletableFuture<T> future, Duration timeout, String what) {
        return Awaiter.await(future, timeout, "rank " + rank + ": " + what, new BackoffIdle(config), threads);
    }

    /**
     * Describes the active ops, as RCCL's dump does.
     *
     * @return completed by the progress thread, soon
     */
    public CompletableFuture<List<String>> dump() {
        return progress.dump();
    }

    /**
     * Drops all ops, those to come too, after the current pass. What waits for them fails with the cause.
     *
     * @param cause becomes the {@link #asyncResult()} if it is the first failure
     */
    public void abort(ProxyException cause) {
        asyncResult.fail(cause);
        progress.abort();
        threads.abortStreams();
    }

    /**
     * Gives up an op: it is dropped, with those behind it on its connection, which takes no more, for its two ends no
     * longer agree on the steps. Others go on. Does not block.
     *
     * @param connection {@linkplain Connector#connectionId() of the op}
     * @param opCount    of the op
     * @return how many ops were dropped; 0 if there was none, or it has ended
     */
    public CompletableFuture<Integer> cancel(long connection, long opCount) {
        return progress.cancel(connection, opCount);
    }

    /**
     * The ops that were fetched and have not ended, at most a tenth of a second ago; other processes can see them too.
     *
     * @return oldest first
     */
    public List<OpInFlight> inFlight() {
        return pool.inFlight();
    }

    /**
     * The file of the ops pool, for {@link OpsPoolClient#open posters in other processes} of this host.
     *
     * @return exists until {@link #close()}
     */
    public Path opsPool() {
        return directory.path().resolve(OPS_FILE);
    }

    /**
     * Checks that no posted op was lost or doubled: free + pending + in flight is each lane's capacity, and what is in
     * flight is what the progress agent works on. Asks that agent, so it blocks for one of its passes; not to be called
     * by its own thread.
     *
     * @throws ProxyException {@link ProxyResult#INTERNAL_ERROR} naming the lane whose books do not balance, or the ops
     *                        that were lost
     */
    public void audit() {
        pool.audit();
        await(progress.audit(), config.get(CoreOptions.CLOSE_TIMEOUT), "audit");
    }

    /** Closes with the configured timeout, {@link CoreOptions#CLOSE_TIMEOUT}. */
    @Override
    public void close() {
        close(config.get(CoreOptions.CLOSE_TIMEOUT));
    }

    /**
     * Stops: finishes what runs, takes no more, and gives everything back. What is not finished in time is dropped and
     * listed. Idempotent; blocks no longer than the timeout and a moment.
     *
     * @param timeout for finishing
     * @return what was abandoned
     */
    public synchronized CloseReport close(Duration timeout) {
        if (closeReport != null) {
            return closeReport;
        }
        long start = System.nanoTime();
        List<String> abandoned = new ArrayList<>();
        threads.drain(timeout, pool, abandoned);
        progress.abort();
        if (threads.stop(abandoned)) {
            release();
        }
        closeReport = new CloseReport(List.copyOf(abandoned), Duration.ofNanos(System.nanoTime() - start));
        return closeReport;
    }

    /** The session with this rank's own service. */
    synchronized CompletableFuture<ProxyClient> client() {
        if (client == null) {
            client = endpoint.connect(endpoint.address());
            threads.wakeupService();
        }
        return client;
    }

    void wakeupService() {
        threads.wakeupService();
    }

    private void release() {
        connections.freeAll();
        transports.close();
        if (ownsDevice) {
            device.close();
        }
        pool.close();
        counters.close();
        directory.close();
    }

    private void onBug(Agent agent, Throwable bug) {
        abort(new ProxyException(ProxyResult.INTERNAL_ERROR, agent.name() + " died of " + bug
                + "; this is a bug of proxyrt or of a transport", bug));
    }

    private static ServiceEndpointProvider endpointProvider() {
        return ServiceLoader.load(ServiceEndpointProvider.class).findFirst().orElseThrow(() -> new ProxyException(
                ProxyResult.INVALID_USAGE, "no module provides " + ServiceEndpointProvider.class.getName()
                        + "; add proxy-rpc to the module path"));
    }
}

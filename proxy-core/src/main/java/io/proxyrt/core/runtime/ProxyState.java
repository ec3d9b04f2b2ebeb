/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.runtime;

import io.proxyrt.core.Direction;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.ThreadingMode;
import io.proxyrt.core.agent.Agent;
import io.proxyrt.core.agent.BackoffIdle;
import io.proxyrt.core.agent.Uninterruptibly;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.counters.ActiveSnapshot;
import io.proxyrt.core.counters.AsyncResult;
import io.proxyrt.core.counters.Counters;
import io.proxyrt.core.counters.RuntimeHealth;
import io.proxyrt.core.device.Device;
import io.proxyrt.core.device.DeviceConnection;
import io.proxyrt.core.device.HostStream;
import io.proxyrt.core.device.HostStreams;
import io.proxyrt.core.device.PeerDevice;
import io.proxyrt.core.diagnosis.HealthLook;
import io.proxyrt.core.op.OpsPoolClient;
import io.proxyrt.core.op.OpsPoster;
import io.proxyrt.core.progress.ConnectorRequest;
import io.proxyrt.core.progress.MemorySharing;
import io.proxyrt.core.progress.PeerInfo;
import io.proxyrt.core.progress.ProxyTransport;
import io.proxyrt.core.progress.TransportAdapter;
import io.proxyrt.core.progress.WatchKind;
import io.proxyrt.core.service.BlockingClient;
import io.proxyrt.core.service.ProxyClient;
import io.proxyrt.core.service.message.Farewell;
import java.net.SocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

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

    private final int rank;
    private final HostWatch host;
    private final ProxyAssembly parts;
    private final AgentThreads threads;
    private ServiceClient client;
    private CloseReport closeReport;
    private volatile boolean isClosed;
    private volatile boolean isReleased;
    private int invocations;

    ProxyState(ProxyStateBuilder builder, ProxyConfig config, HostWatch host) {
        this.rank = builder.rank();
        this.host = host;
        this.parts = new ProxyAssembly(builder, config, host, this::abort, this::invokeAll);
        this.threads = parts.makeThreads(this::onBug);
        try {
            if (threads.isShared()) {
                parts.pool.wakeBy(threads::wakeupService);
            }
            if (parts.isShared() && parts.udsEndpoint != null) {
                parts.udsEndpoint.wakeBy(threads::wakeupService);
            }
            threads.start();
        } catch (RuntimeException | Error e) {
            close(Duration.ZERO);
            throw e;
        }
    }

    /**
     * Starts describing a runtime.
     *
     * @return a builder with rank 0 of 1, the configuration of the environment, and a host device
     */
    public static ProxyStateBuilder builder() {
        return new ProxyStateBuilder();
    }

    /** {@return the number of this rank} */
    public int rank() {
        return rank;
    }

    /** {@return the effective settings: immutable} */
    public ProxyConfig config() {
        return parts.config;
    }

    /** {@return the device whose kernels the runtime serves} */
    public Device device() {
        return parts.device;
    }

    /** {@return what the runtime counts: live; the last values once it is closed} */
    public Counters counters() {
        return parts.counters;
    }

    /**
     * Where the service listens, for this rank's {@link PeerInfo}.
     *
     * @return host and port, or the path of a Unix-domain socket
     */
    public SocketAddress serviceAddress() {
        return parts.endpoint.address();
    }

    /**
     * Where the service listens and why there, who is connected and who was refused.
     *
     * @return one line for people
     */
    public String describeService() {
        return parts.endpoint.toString();
    }

    /**
     * The first failure of anything that happened on the runtime's threads.
     *
     * @return live
     */
    public AsyncResult asyncResult() {
        return parts.asyncResult;
    }

    /** {@return the transports of this runtime, in RCCL's order of preference} */
    public List<String> transports() {
        return parts.transports.names();
    }

    /**
     * What a transport found on this host.
     *
     * @param name as {@link #transports()} gives it
     * @return one line for people
     */
    public String describe(String name) {
        return parts.transports.describe(Arguments.require(name, "name"));
    }

    /**
     * Prepares a connection with the first transport that can carry it.
     *
     * @param request which connection
     * @param name    of the transport to use, or null to choose in RCCL's order
     * @return to be set up
     * @throws ProxyException {@link ProxyResult#SYSTEM_ERROR} with every transport's reason if none can,
     *                        {@link ProxyResult#INVALID_ARGUMENT} if there is no such transport, or adapter
     */
    public Connector connector(ConnectorRequest request, String name) {
        requireOpen();
        return parts.transports.connector(this, Arguments.require(request, "request"), name);
    }

    /** {@return what {@link ConnectorRequest#adapter()} counts: adapters of the first transport that has any} */
    public List<TransportAdapter> adapters() {
        return parts.transports.adapters();
    }

    /**
     * Explains which transport {@link #connector} chooses for a peer.
     *
     * @param peer another rank
     * @param name as for {@link #connector}
     * @return each transport with its reason, in RCCL's order of preference; none is chosen if none can
     * @throws ProxyException {@link ProxyResult#INVALID_ARGUMENT} if there is none of that name
     */
    public List<TransportVerdict> explain(PeerInfo peer, String name) {
        requireOpen();
        return parts.transports.explain(peerInfo(), Arguments.require(peer, "peer"), name);
    }

    /** {@return what other ranks have to know of this one: the same each time} */
    public PeerInfo peerInfo() {
        return new PeerInfo(rank, parts.process, serviceAddress(), memory().address(),
                PeerDevice.of(parts.device));
    }

    /**
     * Takes a lane of the ops pool.
     *
     * @return for one thread, which closes it
     * @throws ProxyException {@link ProxyResult#INVALID_USAGE} if all lanes are taken
     */
    public OpsPoster poster() {
        requireOpen();
        OpsPoster poster = parts.pool.poster();
        if (threads.isInvoker()) {
            poster.driver(this::invoke);
        }
        return poster;
    }

    /**
     * Makes a stream of host kernels. If the mode has threads, one runs all streams of the runtime, a pass of each in
     * turn; it comes with the first and ends with the runtime.
     *
     * @param name for people
     * @return in INVOKER mode to be driven by the caller
     */
    public HostStream stream(String name) {
        requireOpen();
        return threads.stream(Arguments.require(name, "name"), parts.asyncResult::fail);
    }

    /** {@return all streams, to run their kernels in INVOKER mode, or to let one go before the runtime} */
    public HostStreams streams() {
        return threads.streams();
    }

    /**
     * What the operating system knows of each agent's thread: name, CPUs, scheduling, or why that is left to the JVM;
     * and how fast its CPUs wake, if {@link io.proxyrt.core.config.CoreOptions#CPU_LATENCY} is set.
     *
     * @return a line each; blocks until the threads just started are set up
     */
    public List<String> threads() {
        requireOpen();
        return threads.describe();
    }

    /**
     * Which threads run the agents, why those, and whether others leave CPUs for them.
     *
     * @return the mode of {@link #config()}, and who shares the host; seen about once a second if the mode was AUTO
     */
    public ThreadingChoice threading() {
        return host.choice();
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
     * Waits a moment for data, where the caller drives everything and nothing moves. The wait ends as soon as there are
     * some on a connection of a transport {@linkplain ProxyTransport#isWaitable() that can tell}; with several such
     * transports in use, of that of the oldest op. Allocates nothing.
     *
     * @param maxNs longest wait, in nanoseconds
     */
    public void park(long maxNs) {
        threads.park(maxNs);
    }

    /**
     * Waits for a future of this runtime, and drives the runtime meanwhile if no thread does.
     *
     * @param <T>     its type
     * @param future  what to wait for
     * @param timeout at most so long
     * @param what    for the message, such as {@code connect to rank 1}
     * @return its value
     * @throws ProxyException the future's own, or {@link ProxyResult#TIMEOUT}
     */
    public <T> T await(CompletableFuture<T> future, Duration timeout, String what) {
        Arguments.require(future, "future");
        Arguments.require(timeout, "timeout");
        return Awaiter.await(future, timeout, "rank " + rank + ": " + what, new BackoffIdle(parts.config), threads);
    }

    /**
     * Describes the active ops, as RCCL's dump does, and the kernels of {@linkplain #stream streams} that run.
     *
     * @return completed by the progress thread, soon; empty if nothing is under way
     */
    public CompletableFuture<List<String>> dump() {
        requireOpen();
        return parts.progress.dump().thenApply(ops -> Stream.concat(ops.stream(), threads.kernels()).toList());
    }

    /**
     * Drops all ops, those to come too, after the current pass, and ends what waits for a peer to get connected or to
     * share memory. What waits fails with the cause. Does nothing once the runtime is closed.
     *
     * @param cause becomes the {@link #asyncResult()} if it is the first failure
     */
    public void abort(ProxyException cause) {
        Arguments.require(cause, "cause");
        if (!isReleased) {
            parts.asyncResult.fail(cause);
            parts.progress.abort();
            parts.memory.abort(cause);
            threads.abort(cause);
            parts.connections.leave(Farewell.of(cause));
            wakeupService();
        }
    }

    /**
     * Gives up an op: it is dropped, with those behind it on its connection, whose two ends no longer agree on the
     * steps, and which takes no more. Others go on. Does not block.
     *
     * @param connection {@linkplain Connector#connectionId() of the op}
     * @param opCount    of the op
     * @return how many ops were dropped; 0 if there was none, or it has ended
     */
    public CompletableFuture<Integer> cancel(long connection, long opCount) {
        requireOpen();
        return parts.progress.cancel(connection, opCount);
    }

    /**
     * What {@code proxyrt dump} shows of this runtime: the active ops of a moment ago, and kernels that stand still.
     * Takes no help of its threads.
     *
     * @return empty before the first pass
     */
    public Optional<ActiveSnapshot> active() {
        requireOpen();
        return parts.counters.active();
    }

    /**
     * Whether the runtime does its work, by the files that {@code proxyrt health} reads; takes no help of its threads.
     *
     * @param still how long an op or a kernel may not move; zero for as long as it likes
     * @return what is seen of it now
     */
    public RuntimeHealth health(Duration still) {
        requireOpen();
        return HealthLook.at(rank, opsPool().getParent(), Arguments.require(still, "still"));
    }

    /**
     * The file of the ops pool, for {@link OpsPoolClient#open posters in other processes} of this host.
     *
     * @return exists until {@link #close()}
     */
    public Path opsPool() {
        return parts.opsPool();
    }

    /**
     * Checks that no posted op was lost or doubled: free + pending + in flight is each lane's capacity, and what is in
     * flight is what the progress agent works on. Blocks for a pass of that agent; not for its own thread.
     *
     * @throws ProxyException {@link ProxyResult#INTERNAL_ERROR} naming the lane whose books do not balance, or the ops
     *                        that were lost
     */
    public void audit() {
        requireOpen();
        parts.pool.audit();
        await(parts.progress.audit(), config().get(CoreOptions.CLOSE_TIMEOUT), "audit");
    }

    /** Closes with the configured timeout, {@link CoreOptions#CLOSE_TIMEOUT}. */
    @Override
    public void close() {
        close(config().get(CoreOptions.CLOSE_TIMEOUT));
    }

    /**
     * Stops: takes no more, finishes what runs, kernels on {@linkplain #stream streams} and posted ops, and gives
     * everything back. What is not finished in time is dropped and listed, and so is what was dropped before, by {@link
     * #abort}; after that nothing is waited for, and after another failure no op that has stood still for half a
     * second. Idempotent; blocks no longer than the timeout and a moment, also if the calling thread is interrupted,
     * which stays so. In {@link ThreadingMode#INVOKER} it drives the streams, which no other thread may do meanwhile.
     *
     * @param timeout for finishing
     * @return what was abandoned
     */
    public synchronized CloseReport close(Duration timeout) {
        Arguments.require(timeout, "timeout");
        if (closeReport == null) {
            isClosed = true;
            Uninterruptibly.run(() -> closeReport = closeNow(timeout));
        }
        return closeReport;
    }

    private CloseReport closeNow(Duration timeout) {
        long start = System.nanoTime();
        threads.drain(timeout, parts.pool, new Stall(parts.asyncResult, parts.counters));
        Farewell farewell = parts.farewell(threads.abandonedKernels());
        parts.progress.abort();
        parts.memory.close();
        parts.connections.leave(farewell);
        List<String> left = threads.stop(start, timeout);
        List<String> abandoned = new ArrayList<>(threads.abandonedKernels());
        abandoned.addAll(parts.progress.abandoned());
        abandoned.addAll(parts.service.abandoned());
        abandoned.addAll(left);
        if (left.isEmpty()) {
            isReleased = true;
            parts.release();
        }
        return RuntimeLog.ended(rank,
                new CloseReport(List.copyOf(abandoned), Duration.ofNanos(System.nanoTime() - start)));
    }

    /**
     * A client of a service, this rank's own or another's on this host. Does not block; the first call connects.
     *
     * @param address where that service listens
     * @return owned by the caller; its calls fail if the service cannot be reached
     */
    public ServiceClient client(SocketAddress address) {
        requireOpen();
        return new ServiceClient(this, Arguments.require(address, "address"));
    }

    /** {@return the memory that ranks of this host share} */
    public MemorySharing memory() {
        return parts.memory;
    }

    /**
     * The client of this rank's own service. Any thread; does not block, the first call connects.
     *
     * @return owned by the runtime
     */
    public synchronized ServiceClient client() {
        requireOpen();
        if (client == null) {
            client = client(parts.endpoint.address());
        }
        return client;
    }

    CompletableFuture<ProxyClient> connect(SocketAddress address) {
        CompletableFuture<ProxyClient> session = parts.endpoint.connect(address);
        threads.wakeupService();
        return session;
    }

    BlockingClient connectBlocking(SocketAddress address, Duration timeout) {
        return parts.endpoint.connectBlocking(address, timeout);
    }

    /** Looks after the peer of a connection. Any thread. */
    void begin(long connectionId, PeerInfo peer, WatchKind kind) {
        parts.watches.begin(connectionId, peer, kind);
        wakeupService();
    }

    /** Lets the kernels of a connection know what becomes of it, and how to copy. Any thread. */
    void attach(long connectionId, Direction direction, DeviceConnection device) {
        device.with(parts.copiers.of(direction, device.peerName()));
        parts.watches.attach(connectionId, device);
        wakeupService();
    }

    void wakeupService() {
        threads.wakeupService();
    }

    /**
     * Drives the agents once as {@link #invoke()}, and in any case the service and the UDS agent, which cost system
     * calls: for one that has nothing else to do.
     */
    public void invokeAll() {
        threads.invoke(true);
    }

    private void requireOpen() {
        if (isClosed) {
            throw new ProxyException(ProxyResult.INVALID_USAGE, "the runtime of rank " + rank + " is closed");
        }
    }

    private void onBug(Agent agent, Throwable bug) {
        abort(new ProxyException(ProxyResult.INTERNAL_ERROR, agent.name() + " died of " + bug
                + "; this is a bug of proxyrt or of a transport", bug));
    }
}

/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import io.proxyrt.collectives.bootstrap.Bootstrap;
import io.proxyrt.collectives.bootstrap.UniqueId;
import io.proxyrt.collectives.gpu.DevicePrograms;
import io.proxyrt.collectives.kernel.CollectiveWork;
import io.proxyrt.collectives.kernel.RingGeometry;
import io.proxyrt.core.CloseReport;
import io.proxyrt.core.CollFunction;
import io.proxyrt.core.DataType;
import io.proxyrt.core.Pattern;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.ProxyState;
import io.proxyrt.core.RedOp;
import io.proxyrt.core.TransportVerdict;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.device.Device;
import io.proxyrt.core.device.DeviceMemory;
import io.proxyrt.core.op.OpsPoster;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;
import java.util.Objects;

/**
 * A group of ranks that compute together, one object in each: NCCL's {@code ncclComm}. Every collective has to be
 * called by every rank, in the same order and with matching arguments. Calls only launch: they return before the data
 * are there, in the order of the stream; {@link #synchronize} waits.
 *
 * <p>One thread at a time, except for {@link #abort}. After warming up, launching allocates nothing. Buffers stay the
 * caller's, and must stay valid and, until {@link #synchronize} returns, untouched. Kernels of the host take them from
 * anywhere, but from a confined arena in INVOKER mode only; those of a GPU from memory
 * {@linkplain Device#deviceAddress of the device}.
 */
public final class Communicator implements AutoCloseable {
    /** Of connections for messages. */
    static final int P2P_CONN_INDEX = 1;

    private final ProxyState proxy;
    private final Bootstrap bootstrap;
    private final Duration timeout;
    private final int rank;
    private final int nRanks;
    private final RingSetup setup;
    private final Ring[] rings;
    /** Null unless kernels run on a GPU; then all else of the kernels' is the launcher's. */
    private final DevicePrograms programs;
    /** Null on a GPU. */
    private final Doubling doubling;
    private final KernelLauncher launcher;
    private final OpsPoster poster;
    private final StreamWaiter waiter;
    private final UserMemory memory;
    private final LaunchPlanner planner;
    private final LaunchOps ops;
    private final ArgumentCheck check;
    private CloseReport closeReport;

    private Communicator(ProxyState proxy, Bootstrap bootstrap) {
        ProxyConfig config = proxy.config();
        this.proxy = proxy;
        this.bootstrap = bootstrap;
        this.rank = bootstrap.rank();
        this.nRanks = bootstrap.nRanks();
        this.timeout = config.get(CollectivesOptions.TIMEOUT);
        bootstrap.onFailure(this::fail);
        this.programs = DeviceLauncher.programs(proxy.device(), rank, config);
        this.setup = new RingSetup(proxy, bootstrap, config, programs != null);
        this.rings = setup.connectRings();
        PeerPorts peers = new PeerPorts(setup, 0, P2P_CONN_INDEX);
        this.poster = proxy.poster();
        this.memory = new UserMemory(proxy, rings, peers, setup, this::synchronize);
        boolean isDirect = setup.agreeOnDirect(rings);
        if (programs == null) {
            this.planner = LaunchPlanner.ofHost(config, nRanks, rings, isDirect, memory);
            this.ops = new LaunchOps(rank, rings.length, poster, planner);
            HostLauncher host = new HostLauncher(setup, rings, proxy.stream("proxy-stream-" + rank), peers, ops,
                    planner, memory);
            this.launcher = host;
            this.doubling = new Doubling(setup, rings.length, host);
            this.check = ArgumentCheck.ofHost(setup, proxy.isInvoker());
        } else {
            this.planner = LaunchPlanner.ofGpu(config, rings, setup.path());
            this.ops = new LaunchOps(rank, rings.length, poster, planner);
            this.launcher = new DeviceLauncher(proxy.device(), programs, setup, rings, peers, ops);
            this.doubling = null;
            this.check = ArgumentCheck.ofGpu(setup, proxy.device());
        }
        this.waiter = new StreamWaiter(proxy, bootstrap, launcher, poster, this::fail,
                WaitStyle.of(config, programs != null, setup.localRanks(), rings));
        if (proxy.isInvoker()) {
            poster.driver(waiter::drive);
        }
    }

    /**
     * Joins a group with the configuration of the environment. Blocks until all ranks have joined.
     *
     * @param id     of the group, equal for all ranks
     * @param rank   of the caller, 0 to nRanks - 1
     * @param nRanks in the group
     * @return to be closed by the caller
     * @throws ProxyException {@link ProxyResult#TIMEOUT} naming the ranks that did not come, or what else went wrong
     */
    public static Communicator init(UniqueId id, int rank, int nRanks) {
        return init(id, rank, nRanks, ProxyConfig.builder().build());
    }

    /**
     * Joins a group. Blocks until all ranks have joined.
     *
     * @param id     of the group, equal for all ranks
     * @param rank   of the caller, 0 to nRanks - 1
     * @param nRanks in the group
     * @param config of this rank's runtime
     * @return to be closed by the caller
     * @throws ProxyException {@link ProxyResult#TIMEOUT} naming the ranks that did not come, or what else went wrong
     */
    public static Communicator init(UniqueId id, int rank, int nRanks, ProxyConfig config) {
        Bootstrap bootstrap = Bootstrap.join(id, rank, nRanks, config.get(CollectivesOptions.JOIN_TIMEOUT), config);
        ProxyState proxy = null;
        try {
            proxy = ProxyState.builder().rank(rank, nRanks).job(bootstrap.secret(), id.label()).config(config).start();
            return new Communicator(proxy, bootstrap);
        } catch (RuntimeException e) {
            RuntimeException failure = e instanceof ProxyException known ? Verdict.of(bootstrap, known) : e;
            bootstrap.abort(Objects.requireNonNullElse(e.getMessage(), e.toString()));
            if (proxy != null) {
                proxy.close(Duration.ZERO);
            }
            bootstrap.close();
            throw failure;
        }
    }

    /**
     * The caller's place in the group.
     *
     * @return 0 to {@link #nRanks()} - 1
     */
    public int rank() {
        return rank;
    }

    /**
     * The size of the group.
     *
     * @return at least 1
     */
    public int nRanks() {
        return nRanks;
    }

    /**
     * How many rings share the work.
     *
     * @return at least 1, the same at all ranks
     */
    public int channels() {
        return Math.max(1, rings.length);
    }

    /**
     * The runtime underneath.
     *
     * @return owned by the communicator
     */
    public ProxyState proxy() {
        return proxy;
    }

    /**
     * Explains which transport connects this rank with another.
     *
     * @param peer another rank
     * @return each transport of this runtime with its reason, in RCCL's order of preference
     */
    public List<TransportVerdict> explain(int peer) {
        check.peer("peer", peer);
        return setup.explain(peer);
    }

    /**
     * Allocates memory that kernels reach, and {@linkplain #register registers} it where that makes large transfers
     * faster; where ranks of this host read each other's memory, they can read this. Blocks for a few calls to the
     * service.
     *
     * @param bytes greater than 0
     * @return zeroed; freed with the communicator at the latest
     */
    public DeviceMemory allocate(long bytes) {
        return memory.allocate(bytes);
    }

    /**
     * Lets the network take large messages right from this memory, and put them there, and kernels of ranks of this
     * host read them there, instead of copying them through slots of a connection: NCCL's {@code ncclCommRegister}.
     * Other ranks need not do the same. Blocks for a few calls to the service; the first launch that sends from the
     * memory to a rank of this host tells that rank, for which it waits a tenth of a second at most.
     *
     * @param memory of this runtime's device, and {@link Device#allocateShareable shareable} if
     *               a neighbour is on this host; stays the caller's and has to live as long as it is registered
     * @return to be closed before the memory
     * @throws ProxyException {@link ProxyResult#INVALID_USAGE} if the transport cannot,
     *                        {@link ProxyResult#INVALID_ARGUMENT} for memory that it cannot reach
     */
    public Registration register(DeviceMemory memory) {
        RegisteredMemory piece = this.memory.register(memory);
        return () -> this.memory.deregister(piece);
    }

    /**
     * Launches an all-reduce: every rank gets the combination of all ranks' buffers. The first small one connects this
     * rank with some others, and so blocks until they take part.
     *
     * @param sendBuffer input of at least count elements
     * @param recvBuffer output of at least count elements; the same memory for in-place
     * @param count      elements
     * @param type       of the elements
     * @param op         how to combine
     */
    public void allReduce(MemorySegment sendBuffer, MemorySegment recvBuffer, long count, DataType type, RedOp op) {
        long bytes = check.bytes(count, type);
        check.input("sendBuffer", sendBuffer, bytes);
        check.output("recvBuffer", recvBuffer, bytes);
        if (planner.isDoubling(bytes)) {
            launchDoubling(sendBuffer, recvBuffer, bytes, type, op);
        } else {
            launch(Pattern.RING_TWICE,
                    work(CollFunction.ALL_REDUCE, type, op, 0).buffers(sendBuffer, recvBuffer, bytes));
        }
    }

    /**
     * Launches an all-gather: every rank gets all ranks' buffers, in the order of ranks.
     *
     * @param sendBuffer input of at least sendCount elements; for in-place, the caller's part of recvBuffer
     * @param recvBuffer output of at least sendCount times nRanks elements
     * @param sendCount  elements of each rank
     * @param type       of the elements
     */
    public void allGather(MemorySegment sendBuffer, MemorySegment recvBuffer, long sendCount, DataType type) {
        long bytes = check.bytes(sendCount, type);
        check.input("sendBuffer", sendBuffer, bytes);
        check.output("recvBuffer", recvBuffer, Math.multiplyExact(bytes, nRanks));
        launch(Pattern.RING, work(CollFunction.ALL_GATHER, type, null, 0).buffers(sendBuffer, recvBuffer, bytes));
    }

    /**
     * Launches a reduce-scatter: every rank gets its part of the combination of all ranks' buffers.
     *
     * @param sendBuffer input of at least recvCount times nRanks elements
     * @param recvBuffer output of at least recvCount elements; for in-place, the caller's part of sendBuffer
     * @param recvCount  elements of each rank
     * @param type       of the elements
     * @param op         how to combine
     */
    public void reduceScatter(MemorySegment sendBuffer, MemorySegment recvBuffer, long recvCount, DataType type,
            RedOp op) {
        long bytes = check.bytes(recvCount, type);
        check.input("sendBuffer", sendBuffer, Math.multiplyExact(bytes, nRanks));
        check.output("recvBuffer", recvBuffer, bytes);
        launch(Pattern.RING, work(CollFunction.REDUCE_SCATTER, type, op, 0).buffers(sendBuffer, recvBuffer, bytes));
    }

    /**
     * Launches a broadcast: every rank gets the root's buffer.
     *
     * @param sendBuffer input of at least count elements; looked at by the root only
     * @param recvBuffer output of at least count elements; the same memory for in-place
     * @param count      elements
     * @param type       of the elements
     * @param root       whose buffer
     */
    public void broadcast(MemorySegment sendBuffer, MemorySegment recvBuffer, long count, DataType type, int root) {
        long bytes = check.bytes(count, type);
        check.rank("root", root);
        if (rank == root) {
            check.input("sendBuffer", sendBuffer, bytes);
        }
        check.output("recvBuffer", recvBuffer, bytes);
        launch(Pattern.PIPELINE_FROM, work(CollFunction.BROADCAST, type, null, root)
                .buffers(rank == root ? sendBuffer : recvBuffer, recvBuffer, bytes));
    }

    /**
     * Launches a message to one rank and one from another, at the same time. Both other ranks have to do their part.
     * The first exchange with a rank connects to it, and so blocks until that rank takes part.
     *
     * @param sendBuffer the message, all of it
     * @param sendPeer   to whom; not this rank
     * @param recvBuffer where the other message goes; exactly as long as it
     * @param recvPeer   from whom; not this rank
     */
    public void sendRecv(MemorySegment sendBuffer, int sendPeer, MemorySegment recvBuffer, int recvPeer) {
        check.peer("sendPeer", sendPeer);
        check.peer("recvPeer", recvPeer);
        check.input("sendBuffer", sendBuffer);
        check.output("recvBuffer", recvBuffer);
        connect(sendPeer, recvPeer);
        message(sendPeer, sendBuffer, recvPeer, recvBuffer);
    }

    /**
     * Launches a message to a rank, which has to receive it. The first exchange with a rank connects to it, and so
     * blocks until that rank takes part.
     *
     * @param buffer the message, all of it
     * @param peer   to whom; not this rank
     */
    public void send(MemorySegment buffer, int peer) {
        check.peer("peer", peer);
        check.input("buffer", buffer);
        connect(peer, peer);
        message(peer, buffer, -1, null);
    }

    /**
     * Launches the receipt of a message from a rank, which has to send it. The first exchange with a rank connects to
     * it, and so blocks until that rank takes part.
     *
     * @param buffer where the message goes; exactly as long as it
     * @param peer   from whom; not this rank
     */
    public void recv(MemorySegment buffer, int peer) {
        check.peer("peer", peer);
        check.output("buffer", buffer);
        connect(peer, peer);
        message(-1, null, peer, buffer);
    }

    /**
     * Waits until all that was launched is done. In INVOKER mode the calling thread does the work meanwhile.
     *
     * @throws ProxyException {@link ProxyResult#REMOTE_ERROR} naming the rank that failed, {@link ProxyResult#TIMEOUT}
     *                        with what the wait is for when nothing moves for as long as
     *                        {@link CollectivesOptions#TIMEOUT} says
     */
    public void synchronize() {
        waiter.await(timeout);
    }

    /**
     * Waits until every rank is here.
     *
     * @throws ProxyException {@link ProxyResult#TIMEOUT} naming the missing ranks, {@link ProxyResult#REMOTE_ERROR}
     *                        naming the failed one
     */
    public void barrier() {
        bootstrap.barrier(timeout);
    }

    /**
     * Gives up, and tells all other ranks why. Any thread.
     *
     * @param reason for people
     */
    public void abort(String reason) {
        bootstrap.abort(reason);
        fail(new ProxyException(ProxyResult.INVALID_USAGE, "rank " + rank + " was aborted: " + reason));
    }

    /** Closes the runtime and leaves the group. Idempotent. */
    @Override
    public void close() {
        close(proxy.config().get(CoreOptions.CLOSE_TIMEOUT));
    }

    /**
     * Closes the runtime and leaves the group. Idempotent.
     *
     * @param timeout for finishing what runs
     * @return what was abandoned
     */
    public CloseReport close(Duration timeout) {
        if (closeReport == null) {
            memory.close();
            closeKernels(timeout);
            poster.close();
            closeReport = proxy.close(timeout);
            bootstrap.close();
        }
        return closeReport;
    }

    /** What runs on the host the runtime ends. */
    private void closeKernels(Duration timeout) {
        if (programs != null) {
            waiter.drain(timeout);
            launcher.close();
        }
    }

    /** Any thread. */
    private void fail(ProxyException cause) {
        proxy.abort(cause);
        if (programs != null) {
            programs.queue().abort();
        }
    }

    /** What was launched ends first: whom this rank now waits for may still wait for it. */
    private void connect(int first, int second) {
        if (!launcher.isConnected(first) || !launcher.isConnected(second)) {
            waiter.await(timeout);
            orAbort(() -> launcher.connect(first, second));
            memory.connected(first);
            memory.connected(second);
        }
    }

    /** Connecting takes both ends in step; after half of it there is no second try. */
    private void orAbort(Runnable connect) {
        try {
            connect.run();
        } catch (ProxyException e) {
            ProxyException failure = Verdict.of(bootstrap, e);
            abort("it could not connect: " + e.getMessage());
            throw failure;
        }
    }

    /** What the next launch shall do. */
    private CollectiveWork work(CollFunction function, DataType type, RedOp op, int root) {
        waiter.awaitKernel(launcher.capacity(), timeout);
        return launcher.work().function(function, type, op, root);
    }

    private void launch(Pattern pattern, CollectiveWork work) {
        if (work.bytes() == 0) {
            return;
        }
        load(work);
        planner.plan(work);
        long opCount = ops.nextCollective();
        int channels = launcher.channels();
        long part = RingGeometry.alignUp((work.bytes() + channels - 1) / channels);
        for (int c = 0; c < channels; c++) {
            long offset = Math.min(work.bytes(), c * part);
            long length = Math.min(part, work.bytes() - offset);
            RingGeometry geometry = launcher.prepare(c, offset, length);
            if (length > 0 && nRanks > 1) {
                ops.ring(opCount, rings[c], geometry, pattern, work);
            }
        }
        poster.post();
        launcher.launchCollective();
        waiter.driveKernels();
    }

    /** The ranks of a process may share a device, which loads nothing while one's kernel waits for another's. */
    private void load(CollectiveWork work) {
        if (!launcher.isLoaded(work)) {
            waiter.await(timeout);
            orAbort(() -> {
                launcher.load(work);
                bootstrap.barrier(timeout);
            });
        }
    }

    private void launchDoubling(MemorySegment sendBuffer, MemorySegment recvBuffer, long bytes, DataType type,
            RedOp op) {
        if (!doubling.isConnected()) {
            waiter.await(timeout);
            orAbort(doubling::connect);
        }
        waiter.awaitKernel(launcher.capacity(), timeout);
        doubling.work().function(CollFunction.ALL_REDUCE, type, op, 0).buffers(sendBuffer, recvBuffer, bytes);
        doubling.append(ops);
        poster.post();
        doubling.launch();
        waiter.driveKernels();
    }

    private void message(int sendPeer, MemorySegment sendBuffer, int recvPeer, MemorySegment recvBuffer) {
        waiter.awaitKernel(launcher.capacity(), timeout);
        long opCount = ops.nextMessage();
        launcher.beginMessage();
        if (recvPeer >= 0) {
            launcher.recv(opCount, recvPeer, recvBuffer);
        }
        if (sendPeer >= 0) {
            launcher.send(opCount, sendPeer, sendBuffer);
        }
        poster.post();
        launcher.launchMessage();
        waiter.driveKernels();
    }
}

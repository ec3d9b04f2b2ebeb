/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import io.proxyrt.bootstrap.RankRuntime;
import io.proxyrt.bootstrap.UniqueId;
import io.proxyrt.core.CollFunction;
import io.proxyrt.core.DataType;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.ReduceOp;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.device.Device;
import io.proxyrt.core.device.DeviceMemory;
import io.proxyrt.core.device.DeviceStream;
import io.proxyrt.core.runtime.CloseReport;
import io.proxyrt.core.runtime.ProxyState;
import io.proxyrt.core.runtime.TransportVerdict;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * A group of ranks that compute together, one object in each: NCCL's {@code ncclComm}. Every collective has to be
 * called by every rank, in the same order and with the same count, type, op and root, or all ranks fail with
 * {@code INVALID_USAGE}. Calls only launch: they return before the data are there; {@link #synchronize} waits.
 *
 * <p>One thread at a time, except for {@link #abort} and {@link #close(Duration)}: a call while another thread is in
 * one is refused with {@link ProxyResult#INVALID_USAGE}, and if it would have launched something, that ends the
 * communicator at all ranks, for they no longer agree on the order of calls. After the first failure of any kind, a
 * {@link ProxyResult#TIMEOUT} or an interruption while waiting among them, kernels and ops are dropped, the other ranks
 * are told, and every later call fails alike at once; also of all communicators that were {@linkplain #split split} off
 * it, or that it was. After warming up, launching allocates nothing. Buffers stay the caller's, and must stay valid
 * and, until {@link #synchronize} returns, untouched. Kernels of the host take them from anywhere, but a confined arena
 * in INVOKER mode only, and if one thread uses all communicators of the runtime; arrays and buffers too, by {@link
 * MemorySegment#ofArray} and {@link MemorySegment#ofBuffer}, although what is on the Java heap always goes through the
 * slots of connections. Those of a GPU take memory {@linkplain Device#deviceAddress of the device}, and what other
 * libraries got from its driver, once it is {@linkplain Device#wrap wrapped}.
 */
public final class Communicator implements Collectives, AutoCloseable {
    /** The color of a rank that gets no part of a {@link #split}: {@code NCCL_SPLIT_NOCOLOR}. */
    public static final int NO_COLOR = RankRuntime.NO_COLOR;

    private final RankRuntime runtime;
    private final ProxyState proxy;
    private final CommunicatorParts parts;
    private final int rank;
    private final int nRanks;
    private final SingleUser user;
    private final UserMemory memory;
    private final Launches launches;
    private final SingleCalls single;
    private final Farewell farewell;

    private Communicator(RankRuntime runtime, Launches launches) {
        this.runtime = runtime;
        this.proxy = runtime.proxy();
        this.parts = launches.parts;
        this.rank = runtime.rank();
        this.nRanks = runtime.nRanks();
        this.user = parts.user;
        this.memory = parts.memory;
        this.launches = launches;
        this.single = new SingleCalls(user, launches);
        this.farewell = new Farewell(runtime, launches);
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
     * @param id     as of {@link #init(UniqueId, int, int)}
     * @param rank   as of that
     * @param nRanks as of that
     * @param config of this rank's runtime
     * @return to be closed by the caller
     * @throws ProxyException {@link ProxyResult#TIMEOUT} naming the ranks that did not come, or what else went wrong
     */
    public static Communicator init(UniqueId id, int rank, int nRanks, ProxyConfig config) {
        ArgumentCheck.require(id, "id");
        ArgumentCheck.require(config, "config");
        RankRuntime runtime = RankRuntime.join(id, rank, nRanks, config);
        return new Communicator(runtime, Launches.of(runtime, new Lanes(runtime.proxy()), JobTuning.NONE));
    }

    /** {@return the caller's place in the group, 0 to {@link #nRanks()} - 1} */
    public int rank() {
        return rank;
    }

    /** {@return the size of the group, at least 1} */
    public int nRanks() {
        return nRanks;
    }

    /** {@return which group it is, for people: such as {@code split 2 (color 0) of job 1a2b3c4d}} */
    public String name() {
        return runtime.group().name();
    }

    /**
     * Splits the group: the ranks of one color get a communicator together, in which they are numbered in the order of
     * their keys, and of their ranks where keys are the same: NCCL's {@code ncclCommSplit}. It is another communicator,
     * with connections of its own, for any thread; it shares this one's threads, memory, service and membership, which
     * go with the last that is closed, whichever that is. A failure of one is a failure of all. Kernels of the host get
     * its rings connected at its first collective, which so blocks until all its ranks take part; those of a GPU, here.
     * Every rank has to call it; blocks until all do.
     *
     * @param color from 0; or {@link #NO_COLOR}
     * @param key   any
     * @return to be closed by the caller; null for {@link #NO_COLOR}
     * @throws ProxyException {@link ProxyResult#TIMEOUT} naming the ranks that did not come,
     *                        {@link ProxyResult#INVALID_ARGUMENT} for another negative color
     */
    public Communicator split(int color, int key) {
        user.enter("split");
        try {
            RankRuntime part = runtime.split(color, key);
            return part == null ? null : new Communicator(part, Launches.of(part, parts.lanes, parts.setup.tuning()));
        } finally {
            user.exit();
        }
    }

    /**
     * Leaves ranks out: the others get a communicator together, numbered in their order: NCCL's {@code ncclCommShrink}.
     * It shares what one of {@link #split} does; but after a failure, it is a job with a runtime of its own, for which
     * the old bootstrap root has to be alive. Those that stay call it, and no other; blocks until they do.
     *
     * @param excluded ranks, without this one; the same at all that stay
     * @return to be closed by the caller
     * @throws ProxyException {@link ProxyResult#TIMEOUT} naming the ranks that did not come,
     *                        {@link ProxyResult#INVALID_USAGE} if they leave out different ones, {@code
     *                        INVALID_ARGUMENT} for this rank or one there is not, {@code REMOTE_ERROR} without root
     */
    public Communicator shrink(int... excluded) {
        user.enterAnyway("shrink");
        try {
            RankRuntime rest = runtime.shrink(excluded);
            return new Communicator(rest, Launches.of(rest, parts.lanes.of(rest.proxy()), parts.setup.tuning()));
        } finally {
            user.exit();
        }
    }

    /** {@return how many rings share the work, at least 1; the same at all ranks} */
    public int channels() {
        return Math.max(1, parts.setup.channels());
    }

    /** {@return the runtime underneath, owned by the communicators that share it} */
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
        launches.check().rank("peer", peer);
        launches.check().peer("peer", peer);
        return parts.setup.explain(peer);
    }

    /** {@return a line on whether the network carries out collectives, or why not; the same at all ranks} */
    public String explainCollNet() {
        return parts.collNet().toString();
    }

    /**
     * Tells by which algorithm kernels carry a collective out, where the network does not: one call alone, for those of
     * a group may be carried out together. Where kernels run on the host, a communicator of {@link #split} has rings
     * before its first collective. It is {@link Algorithm#MSCCL} if a file is for calls of that size in place, out of
     * place, or both; one that it is not for after all goes as if there were no file.
     *
     * @param function of the collective
     * @param bytes    of the buffer; of all-gathers and reduce-scatters those of one rank's part
     * @return the same at all ranks
     */
    public Algorithm algorithm(CollFunction function, long bytes) {
        ArgumentCheck.require(function, "function");
        return launches.planner.expected(function, bytes);
    }

    /**
     * Changes what collectives may choose from, as if {@link CollectivesOptions#ALGORITHM} had said so: to compare
     * algorithms within one run. Kernels of the host go by it, in this communicator alone; the network's part is as it
     * was. What was launched goes on as it began. Every rank has to call it between the same two collectives, or they
     * wait for each other until the time limit.
     *
     * @param allowed for each function
     * @throws ProxyException {@link ProxyResult#INVALID_USAGE} if kernels run on a GPU
     */
    public void algorithms(Allowed<Algorithm> allowed) {
        ArgumentCheck.require(allowed, "allowed");
        user.enter("algorithms");
        try {
            if (parts.setup.isOnGpu()) {
                throw new ProxyException(ProxyResult.INVALID_USAGE, "rank " + rank + ": kernels of "
                        + proxy.device().name() + " keep what " + CollectivesOptions.ALGORITHM + " says");
            }
            launches.allow(allowed);
        } finally {
            user.exit();
        }
    }

    /**
     * Allocates memory that kernels reach, and {@linkplain #register registers} it where that makes large transfers
     * faster; where ranks of this host read each other's memory, they can read this. Blocks for a few calls to the
     * service. Of a GPU that is memory of 2 MiB and more, in which units drivers share it, or of
     * {@link CollectivesOptions#REGISTER_BYTES}.
     *
     * @param bytes greater than 0
     * @return zeroed; freed with the communicator at the latest. If it is registered, closing it is a call of the
     *         communicator, which waits for what was launched
     */
    public DeviceMemory allocate(long bytes) {
        user.enter("allocate");
        try {
            return memory.allocate(bytes);
        } finally {
            user.exit();
        }
    }

    /**
     * Lets the network take large messages right from this memory, and put them there, and kernels of ranks of this
     * host read them there, instead of copying them through slots of a connection: NCCL's {@code ncclCommRegister}.
     * Kernels of a GPU put what all-reduces and all-gathers receive right into this memory, where P2P reaches it. Other
     * ranks need not do the same. Blocks for a few calls to the service; the first launch that uses the memory with a
     * rank of this host tells that rank, for which it waits a tenth of a second at most.
     *
     * @param memory of this runtime's device, and {@link Device#allocateShareable shareable} if
     *               a neighbour is on this host; stays the caller's and has to live as long as it is registered
     * @return to be closed before the memory
     * @throws ProxyException {@link ProxyResult#INVALID_USAGE} if the transport cannot,
     *                        {@link ProxyResult#INVALID_ARGUMENT} for memory that it cannot reach
     */
    public Registration register(DeviceMemory memory) {
        ArgumentCheck.require(memory, "memory");
        user.enter("register");
        try {
            RegisteredMemory piece = this.memory.register(memory);
            return () -> this.memory.deregister(piece);
        } finally {
            user.exit();
        }
    }

    @Override
    public void allReduce(MemorySegment sendBuffer, MemorySegment recvBuffer, long count, DataType type, ReduceOp op) {
        single.allReduce(sendBuffer, recvBuffer, count, type, op);
    }

    @Override
    public void reduce(MemorySegment sendBuffer, MemorySegment recvBuffer, long count, DataType type, ReduceOp op,
            int root) {
        single.reduce(sendBuffer, recvBuffer, count, type, op, root);
    }

    @Override
    public void broadcast(MemorySegment sendBuffer, MemorySegment recvBuffer, long count, DataType type, int root) {
        single.broadcast(sendBuffer, recvBuffer, count, type, root);
    }

    @Override
    public void allGather(MemorySegment sendBuffer, MemorySegment recvBuffer, long sendCount, DataType type) {
        single.allGather(sendBuffer, recvBuffer, sendCount, type);
    }

    @Override
    public void allGatherv(MemorySegment sendBuffer, MemorySegment recvBuffer, long[] counts, long[] displacements,
            DataType type) {
        single.allGatherv(sendBuffer, recvBuffer, counts, displacements, type);
    }

    @Override
    public void reduceScatter(MemorySegment sendBuffer, MemorySegment recvBuffer, long recvCount, DataType type,
            ReduceOp op) {
        single.reduceScatter(sendBuffer, recvBuffer, recvCount, type, op);
    }

    @Override
    public void reduceScatterv(MemorySegment sendBuffer, MemorySegment recvBuffer, long[] counts, long[] displacements,
            DataType type, ReduceOp op) {
        single.reduceScatterv(sendBuffer, recvBuffer, counts, displacements, type, op);
    }

    @Override
    public void allToAll(MemorySegment sendBuffer, MemorySegment recvBuffer, long count, DataType type) {
        single.allToAll(sendBuffer, recvBuffer, count, type);
    }

    @Override
    public void allToAllv(MemorySegment sendBuffer, long[] sendCounts, long[] sendDisplacements,
            MemorySegment recvBuffer, long[] recvCounts, long[] recvDisplacements, DataType type) {
        single.allToAllv(sendBuffer, sendCounts, sendDisplacements, recvBuffer, recvCounts, recvDisplacements, type);
    }

    @Override
    public void gather(MemorySegment sendBuffer, MemorySegment recvBuffer, long sendCount, DataType type, int root) {
        single.gather(sendBuffer, recvBuffer, sendCount, type, root);
    }

    @Override
    public void scatter(MemorySegment sendBuffer, MemorySegment recvBuffer, long recvCount, DataType type, int root) {
        single.scatter(sendBuffer, recvBuffer, recvCount, type, root);
    }

    @Override
    public void sendRecv(MemorySegment sendBuffer, int sendPeer, MemorySegment recvBuffer, int recvPeer) {
        single.sendRecv(sendBuffer, sendPeer, recvBuffer, recvPeer);
    }

    @Override
    public void send(MemorySegment buffer, int peer) {
        single.send(buffer, peer);
    }

    @Override
    public void recv(MemorySegment buffer, int peer) {
        single.recv(buffer, peer);
    }

    /**
     * Launches many calls as one: NCCL's {@code ncclGroupStart} and {@code ncclGroupEnd}. Collectives go one after the
     * other, small all-reduces of one type and op as one; messages go beside them, all at once, so that their order
     * does not matter, neither here nor at other ranks. All ranks group their collectives alike; messages need not be
     * in a group elsewhere. A group of more than fits is launched in parts. If {@code body} throws, nothing of the
     * group is launched.
     *
     * @param body makes the calls, on what is given to it, by this thread, and only until it returns
     */
    public void group(Consumer<? super Collectives> body) {
        record("group", body, () -> {
            launches.launch();
            return null;
        });
    }

    /** A call of many calls, launched once they are recorded. */
    private <T> T record(String call, Consumer<? super Collectives> body, Supplier<T> launch) {
        ArgumentCheck.require(body, "body");
        user.enterLaunch(call);
        try {
            body.accept(launches.calls());
            return launch.get();
        } finally {
            launches.endCall(user);
        }
    }

    /**
     * Launches as {@link #group}, in order with a stream of the user: behind what is on it, and before what is given to
     * it after this. The device keeps the order, and no thread waits, but where a launch waits by itself, as the first
     * one with a peer. If the communicator fails, the stream goes on, without the data; the next call or {@link
     * #synchronize} tells.
     *
     * <p>On a stream that is being captured, by {@link DeviceStream#beginCapture} or another library, nothing is done
     * now; each launch of the graph does it, at all ranks alike, in order with what else this communicator launches.
     * The stream that a graph was launched on tells when that is done; {@link #synchronize} does not wait for it. Calls
     * of one graph must not be in branches that it may run side by side, and no such graph may be launched once the
     * communicator is closed.
     *
     * @param stream of this runtime's device, or a foreign one that it {@linkplain Device#wrapStream wrapped}
     * @param body   makes the calls, as of {@link #group}
     * @throws ProxyException {@link ProxyResult#INVALID_USAGE} on the host device, whose kernels run on no such stream,
     *                        and for a capture in INVOKER mode, or on a device without {@link
     *                        io.proxyrt.core.device.DeviceCapability#GRAPHS};
     *                        with the driver's reason if the stream refuses to be put in order: before the launch,
     *                        and the communicator goes on, or behind it, and only the order of what comes is missing
     */
    public void group(DeviceStream stream, Consumer<? super Collectives> body) {
        ArgumentCheck.require(stream, "stream");
        record("group", body, () -> {
            launches.launchOn(stream);
            return null;
        });
    }

    /**
     * Launches as {@link #group}, and tells when it is done: for one call, {@code groupAsync(c -> c.allReduce(...))}.
     *
     * @param body makes the calls, as of {@link #group}
     * @return completes when the data of this and of all before it are there, or with the {@link ProxyException} that
     *         {@link #synchronize} would throw; on a virtual thread, where what depends on it may block, or for a GPU
     *         on a thread of the common pool. No thread waits for it, but in INVOKER mode it needs this communicator's
     *         next calls, such as synchronize, to get on. To cancel it cancels nothing else
     */
    public CompletableFuture<Void> groupAsync(Consumer<? super Collectives> body) {
        return record("groupAsync", body, () -> {
            launches.launch();
            return launches.completion();
        });
    }

    /**
     * Waits until all that was launched is done. In INVOKER mode the calling thread does the work meanwhile.
     *
     * @throws ProxyException {@link ProxyResult#REMOTE_ERROR} naming the rank that failed, {@code INVALID_USAGE} with
     *                        what two ranks were asked for if that differs, {@link ProxyResult#TIMEOUT} when nothing
     *                        moves for as long as {@link CollectivesOptions#TIMEOUT} says
     */
    public void synchronize() {
        user.enter("synchronize");
        try {
            parts.await();
        } finally {
            user.exit();
        }
    }

    /**
     * Waits until every rank is here.
     *
     * @throws ProxyException {@code TIMEOUT} naming the missing ranks, {@code REMOTE_ERROR} naming the failed one
     */
    public void barrier() {
        user.enter("barrier");
        try {
            parts.failure.agreement().barrier(parts.timeout);
        } finally {
            user.exit();
        }
    }

    /**
     * Gives up, and tells all other ranks why. Any thread; does nothing once it is closed.
     *
     * @param reason for people
     */
    public void abort(String reason) {
        if (!user.isClosed()) {
            runtime.group().abort(reason);
            parts.failure.end(new ProxyException(ProxyResult.INVALID_USAGE,
                    runtime.group().self() + " was aborted: " + reason));
        }
    }

    /**
     * Sets who is told why nothing has moved for {@link CollectivesOptions#STALL}, once each time: a sentence that
     * names the rank that all wait for, and what it owes. The thread that waits tells it, within its call.
     *
     * @param listener does not block, and calls no communicator
     */
    public void onStall(Consumer<String> listener) {
        ArgumentCheck.require(listener, "listener");
        parts.onStall(listener);
    }

    /** Closes as {@link #close(Duration)}, within {@link CoreOptions#CLOSE_TIMEOUT}. */
    @Override
    public void close() {
        close(proxy.config().get(CoreOptions.CLOSE_TIMEOUT));
    }

    /**
     * Finishes what was launched and leaves the group; the last communicator of a runtime closes that, too. What is not
     * finished in time is dropped and listed, and the other ranks are told that this one failed; so is what a failure
     * dropped before, after which nothing is waited for. While another thread is in a call, closing aborts that call
     * first, and waits for it to return. Idempotent; blocks no longer than the timeout and a moment, also if the
     * calling thread is interrupted, which stays so.
     *
     * @param timeout for finishing what runs
     * @return what was abandoned
     */
    public CloseReport close(Duration timeout) {
        ArgumentCheck.require(timeout, "timeout");
        return farewell.close(timeout);
    }
}

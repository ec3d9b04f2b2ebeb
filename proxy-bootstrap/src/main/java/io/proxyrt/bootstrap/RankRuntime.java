/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bootstrap;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.agent.Uninterruptibly;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.device.HostStream;
import io.proxyrt.core.diagnosis.CallWords;
import io.proxyrt.core.diagnosis.Diagnosis;
import io.proxyrt.core.diagnosis.RemoteRanks;
import io.proxyrt.core.op.OpsPoster;
import io.proxyrt.core.runtime.CloseReport;
import io.proxyrt.core.runtime.HostLoad;
import io.proxyrt.core.runtime.ProxyState;
import io.proxyrt.core.runtime.StreamWait;
import java.time.Duration;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * One rank of a job, with its runtime: what a collective stack of one's own stands on. It has joined the job, its
 * runtime has the job's secret and knows all other ranks, and a failure of any rank ends what waits at all of them,
 * with the number of that rank.
 *
 * <p>One thread at a time, but for {@link #fail}, {@link #bootstrap()} and {@link #proxy()}, which any may call.
 */
public final class RankRuntime implements AutoCloseable {
    /** The color of a rank that gets no part of a {@link #split}: {@code NCCL_SPLIT_NOCOLOR}. */
    public static final int NO_COLOR = -1;

    private final SharedRuntime shared;
    private final RankGroup group;
    private final Bootstrap bootstrap;
    private final ProxyState proxy;
    private final PeerConnector peers;
    private final Duration timeout;
    private final GroupSplit splitting;
    private CloseReport closeReport;

    private RankRuntime(SharedRuntime shared, RankGroup group, PeerConnector peers) {
        this.shared = shared;
        this.group = group;
        this.bootstrap = shared.bootstrap();
        this.proxy = shared.proxy();
        this.peers = peers;
        this.timeout = proxy.config().get(CoreOptions.CONNECT_TIMEOUT);
        this.splitting = new GroupSplit(group, shared.mail());
    }

    /**
     * Joins a job and starts a runtime in it. Blocks until all ranks have done so, for {@link
     * BootstrapOptions#JOIN_TIMEOUT} and then a few times {@link CoreOptions#CONNECT_TIMEOUT} at most.
     *
     * @param id     of the job, equal at all ranks
     * @param rank   of the caller, 0 to nRanks - 1
     * @param nRanks in the job
     * @param config of this rank's runtime
     * @return to be closed by the caller
     * @throws ProxyException {@link ProxyResult#TIMEOUT} naming the ranks that did not come, or what else went wrong
     *                        here or at another rank; all ranks hear of it
     */
    public static RankRuntime join(UniqueId id, int rank, int nRanks, ProxyConfig config) {
        return join(id, rank, nRanks, config, null);
    }

    /** The root is closed once all ranks have left, if it is not null. */
    static RankRuntime join(UniqueId id, int rank, int nRanks, ProxyConfig config, BootstrapRoot root) {
        Bootstrap bootstrap = Bootstrap.join(id, rank, nRanks, config.get(BootstrapOptions.JOIN_TIMEOUT), config);
        ProxyState proxy = null;
        try {
            RemoteImages remote = new RemoteImages(bootstrap);
            proxy = start(bootstrap, config, remote);
            bootstrap.onFailure(proxy::abort);
            SharedRuntime shared = new SharedRuntime(bootstrap, proxy, remote, root);
            PeerConnector peers = PeerConnector.gather(proxy, bootstrap, config.get(CoreOptions.CONNECT_TIMEOUT));
            remote.begin(proxy, peers::info);
            return new RankRuntime(shared, bootstrap, peers);
        } catch (RuntimeException | Error e) {
            throw undo(bootstrap, proxy, e);
        }
    }

    private static ProxyState start(Bootstrap bootstrap, ProxyConfig config, RemoteRanks remote) {
        byte[][] told = bootstrap.allGather(HostLoad.told(config), config.get(CoreOptions.CONNECT_TIMEOUT));
        return ProxyState.builder().rank(bootstrap.rank(), bootstrap.nRanks())
                .job(bootstrap.secret(), bootstrap.id().label()).config(config)
                .load(HostLoad.of(told, bootstrap.rank())).remote(remote).start();
    }

    /** Tells the others first: they wait. */
    private static ProxyException undo(Bootstrap bootstrap, ProxyState proxy, Throwable failure) {
        ProxyException verdict = bootstrap.verdict(known(failure));
        if (proxy != null) {
            proxy.close(Duration.ZERO);
        }
        bootstrap.close();
        if (failure instanceof Error error) {
            throw error;
        }
        return verdict;
    }

    private static ProxyException known(Throwable failure) {
        return failure instanceof ProxyException known ? known
                : new ProxyException(ProxyResult.INTERNAL_ERROR, failure.toString(), failure);
    }

    /**
     * The membership in the job: all-gathers, barriers and messages of one's own, the latter with negative tags below
     * -3 and above {@code Integer.MIN_VALUE + 15}.
     *
     * @return owned by this object, and by all that were {@linkplain #split split} off
     */
    public Bootstrap bootstrap() {
        return bootstrap;
    }

    /**
     * The ranks: those of the job, or some of them. For all-gathers, barriers and messages of one's own as {@link
     * #bootstrap()}.
     *
     * @return owned by this object
     */
    public RankGroup group() {
        return group;
    }

    /**
     * Splits the ranks: those of one color get a runtime together, numbered in the order of their keys, and of their
     * ranks where keys are the same. What they get shares this rank's threads, memory, service and membership, which
     * last until all that share them are closed, in any order; connections are each one's own, and made as they are
     * asked for. A failure of one is a failure of all. All ranks have to call it; blocks until they do, for {@link
     * CoreOptions#CONNECT_TIMEOUT} at most.
     *
     * @param color from 0; or {@link #NO_COLOR}
     * @param key   any
     * @return to be closed by the caller; null for {@link #NO_COLOR}
     * @throws ProxyException {@link ProxyResult#TIMEOUT} naming the ranks that did not come; {@link
     *                        ProxyResult#INVALID_ARGUMENT} for another negative color
     */
    public RankRuntime split(int color, int key) {
        if (color < NO_COLOR) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, "color " + color + " is neither from 0 on nor "
                    + "NO_COLOR");
        }
        return of(splitting.split(color, key, timeout));
    }

    /**
     * Leaves ranks out: the others get a runtime together, numbered in their order, which shares all that {@link
     * #split} shares. Called by those that stay; blocks until all of them have, for {@link CoreOptions#CONNECT_TIMEOUT}
     * at most. If the job has failed, what they get is a job and a runtime of its own; they meet by way of the old
     * job's root, which has to be alive, and then as {@link #join} says. The new job's root is in the process of its
     * rank 0, whose {@link #close} waits two seconds for the others to leave; it stays until they have, or with the
     * process.
     *
     * @param excluded ranks, without this one; the same at all that stay
     * @return to be closed by the caller
     * @throws ProxyException {@link ProxyResult#TIMEOUT} naming the ranks that did not come; {@link
     *                        ProxyResult#INVALID_USAGE} if they leave out different ones; {@link
     *                        ProxyResult#INVALID_ARGUMENT} for this rank, or one there is not; {@link
     *                        ProxyResult#REMOTE_ERROR} if the root is gone
     */
    public RankRuntime shrink(int... excluded) {
        BitSet out = new BitSet();
        for (int rank : excluded) {
            Bootstrap.requireRank(rank, group.nRanks());
            out.set(rank);
        }
        if (out.get(group.rank())) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, "rank " + group.rank() + " is left out of "
                    + group.name() + ", and so is not to call it");
        }
        if (!hasFailed()) {
            try {
                return of(splitting.shrink(out, timeout));
            } catch (ProxyException e) {
                if (!hasFailed()) {
                    throw e;
                }
            }
        }
        if (bootstrap.failure().isEmpty()) {
            fail(proxy.asyncResult().failure());
        }
        int[] staying = IntStream.range(0, group.nRanks()).filter(rank -> !out.get(rank)).map(group::jobRank)
                .toArray();
        return shared.survivors().meet(staying, proxy.config(), timeout);
    }

    private boolean hasFailed() {
        return proxy.asyncResult().failure() != null || bootstrap.failure().isPresent();
    }

    private RankRuntime of(GroupSplit.Members members) {
        if (members == null) {
            return null;
        }
        shared.join();
        return new RankRuntime(shared, members.group(), peers.of(members));
    }

    /**
     * Whether other runtimes of this rank share its threads: then closing this one does not end them.
     *
     * @return false if this is the only one
     */
    public boolean isShared() {
        return shared.isShared();
    }

    /**
     * The runtime: streams, posters, memory.
     *
     * @return owned by this object
     */
    public ProxyState proxy() {
        return proxy;
    }

    /**
     * Finds out why the job stands still. By what this host sees of its ranks, and, if the waiting leads to others, by
     * what theirs tell: their threads of the bootstrap answer, whatever their callers do. Blocks for a quarter of a
     * second, and for some seconds at most if other hosts have to be asked.
     *
     * @param words of the job's communicators
     * @return empty if the files can't be read
     * @throws ProxyException as {@link Diagnosis#ofJobOf}
     */
    @SuppressWarnings("exports") // Only communicators call it.
    public Optional<Diagnosis> diagnose(CallWords words) {
        return Diagnosis.ofJobOf(proxy.config(), proxy.opsPool().getParent(), words, shared.remote());
    }

    /**
     * What connects the ranks, for more than {@link #connect} does, such as several connections between two.
     *
     * @return of this runtime
     */
    public PeerConnector peers() {
        return peers;
    }

    /**
     * This rank.
     *
     * @return from 0, in the {@link #group()}
     */
    public int rank() {
        return group.rank();
    }

    /**
     * How many ranks the group has.
     *
     * @return at least 1
     */
    public int nRanks() {
        return group.nRanks();
    }

    /**
     * Connects both ways with ranks that do so too, for messages, each pair by the first transport that can. Blocks
     * until all are connected, for {@link CoreOptions#CONNECT_TIMEOUT} at most, and then as long for each connection.
     *
     * @param ranks other ones, each once
     * @return in the same order
     * @throws ProxyException {@link ProxyResult#TIMEOUT} naming the rank that did not come, or why it failed; all ranks
     *                        hear of it
     */
    public List<PeerLink> connect(int... ranks) {
        return connect("", ranks);
    }

    /**
     * As {@link #connect(int...)}, by one transport.
     *
     * @param transport its name, or empty for the first that can; equal at all ranks
     * @param ranks     other ones, each once
     * @return in the same order
     * @throws ProxyException as {@link #connect(int...)}
     */
    public List<PeerLink> connect(String transport, int... ranks) {
        try {
            return peers.connect(new PeerConnector.LinkId(transport, 0, peers.messageConnIndex()), timeout, _ -> { },
                    ranks);
        } catch (ProxyException e) {
            throw fail(e);
        }
    }

    /**
     * Describes what to wait for. When a wait fails, all ranks hear of it, and it throws what the job has failed of; if
     * nothing has moved, with the rank that all wait for, and what it owes.
     *
     * @param stream whose kernels have to retire; stays the caller's
     * @param poster whose ops have to end; stays the caller's
     * @return for as many waits as one likes
     */
    public StreamWait waitFor(HostStream stream, OpsPoster poster) {
        return StreamWait.of(proxy, stream, poster, group::verdict,
                () -> diagnose(CallWords.NONE).map(Diagnosis::why).orElse(""));
    }

    /**
     * Ends the job: drops all that runs here, and tells all ranks, unless the job has failed before. Blocks as {@link
     * Bootstrap#verdict} does. Any thread.
     *
     * @param cause what this rank has seen or done
     * @return what to throw: the job's failure
     */
    public ProxyException fail(Throwable cause) {
        ProxyException known = known(cause);
        proxy.abort(known);
        return group.verdict(known);
    }

    /** Closes as {@link #close(Duration)}, within {@link CoreOptions#CLOSE_TIMEOUT}. */
    @Override
    public void close() {
        close(proxy.config().get(CoreOptions.CLOSE_TIMEOUT));
    }

    /**
     * Finishes what runs, closes the runtime and leaves the job. What is not finished in time is dropped and listed,
     * and the other ranks are told that this one failed. While others {@linkplain #split share} the runtime, it gives
     * its own connections back and leaves its group, and nothing else; whose kernels and ops have to be done by then.
     * Idempotent; blocks no longer than the timeout and a few seconds, also if the calling thread is interrupted, which
     * stays so.
     *
     * @param within for finishing what runs
     * @return what was abandoned
     * @throws ProxyException {@link ProxyResult#INVALID_ARGUMENT} for a negative time or none; nothing is closed then
     */
    public CloseReport close(Duration within) {
        return close(within, List.of());
    }

    /**
     * As {@link #close(Duration)}, by one who has not finished something itself: the other ranks are told of it.
     *
     * @param within     for finishing what runs
     * @param unfinished a line for each thing, for people
     * @return what was abandoned besides
     * @throws ProxyException as {@link #close(Duration)}
     */
    public synchronized CloseReport close(Duration within, List<String> unfinished) {
        Deadline.nanos(within);
        if (closeReport == null) {
            Uninterruptibly.run(() -> closeReport = shared.leave() ? shared.close(within, unfinished)
                    : leave(within, unfinished));
        }
        return closeReport;
    }

    private CloseReport leave(Duration within, List<String> unfinished) {
        long start = System.nanoTime();
        if (!unfinished.isEmpty()) {
            bootstrap.abort(SharedRuntime.notFinished(unfinished));
        }
        List<String> left = bootstrap.failure().isPresent() ? List.of() : peers.close(within);
        if (group instanceof SubGroup some) {
            some.leave();
        }
        return new CloseReport(left, Duration.ofNanos(System.nanoTime() - start));
    }
}

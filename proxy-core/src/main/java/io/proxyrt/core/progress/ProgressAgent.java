/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.progress;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.agent.Agent;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.counters.AsyncResult;
import io.proxyrt.core.counters.Counter;
import io.proxyrt.core.counters.Counters;
import io.proxyrt.core.device.HostStreams;
import io.proxyrt.core.op.OpsFetcher;
import io.proxyrt.core.op.OpsPool;
import io.proxyrt.core.op.ProxyOp;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import java.util.function.LongSupplier;
import java.util.function.Predicate;

/**
 * The progress thread's duty, RCCL's {@code ncclProxyProgress}: advance all active ops, and every few passes, or when
 * nothing moved, fetch what was posted. An op that fails, expires or is cancelled is removed and reported by name;
 * the others go on, but for those of its connections, whose two ends no longer agree on the steps.
 */
public final class ProgressAgent implements Agent, OpsFetcher.Sink {
    /** Passes between two looks at the clock, which cost as much as ten idle ops. */
    static final int TICK_PASSES = 64;
    private static final long MS = 1_000_000;
    private static final long NEVER = Long.MAX_VALUE;

    private final int rank;
    private final OpsPool pool;
    private final OpsFetcher fetcher;
    private final ConnectionLookup connections;
    private final Counters counters;
    private final AsyncResult asyncResult;
    private final LongSupplier clock;
    private final IntConsumer poll;
    private final int batchSize;
    private final int fetchInterval;
    private final long timeoutMs;
    private final ActiveList active = new ActiveList();
    private final Trail trail;
    private final AbandonedOps abandoned = new AbandonedOps();
    private final AgentCommands commands;
    private int passesSinceFetch;
    private int passesToTick;
    private long nowNs;
    private long nextDeadlineNs = NEVER;
    private boolean isAnyLost;
    private volatile boolean isAborted;

    /**
     * An agent that no thread runs yet.
     *
     * @param rank        for names and messages
     * @param pool        brings the ops
     * @param connections by id
     * @param counters    of the runtime
     * @param asyncResult gets the first failure
     * @param config      batch size, fetch frequency and the timeout of ops
     * @param clock       monotonic, in nanoseconds
     * @param poll        called once before active ops are advanced, with their number: transports do at once what each
     *                    op would have to do by itself
     */
    public ProgressAgent(int rank, OpsPool pool, ConnectionLookup connections, Counters counters,
            AsyncResult asyncResult, ProxyConfig config, LongSupplier clock, IntConsumer poll) {
        this.rank = rank;
        this.pool = pool;
        this.fetcher = pool.fetcher();
        this.connections = connections;
        this.counters = counters;
        this.asyncResult = asyncResult;
        this.clock = clock;
        this.poll = poll;
        this.batchSize = config.get(CoreOptions.APPEND_BATCH_SIZE);
        this.fetchInterval = config.get(CoreOptions.APPEND_FREQUENCY);
        this.timeoutMs = config.get(CoreOptions.OPS_TIMEOUT).toMillis();
        this.nowNs = clock.getAsLong();
        this.commands = new AgentCommands(name(), pool::wakeup);
        this.trail = new Trail(counters, fetcher, active, nowNs);
    }

    @Override
    public String name() {
        return "proxy-progress-" + rank;
    }

    @Override
    public int doWork() {
        if (--passesToTick <= 0) {
            tick();
        }
        int moved = commands.isEmpty() ? 0 : commands.run();
        if (isAborted) {
            return moved + dropAll();
        }
        int advanced = active.head() == null ? 0 : advanceActive();
        if (advanced == 0 || active.head() == null || ++passesSinceFetch >= fetchInterval) {
            passesSinceFetch = 0;
            moved += fetchPosted();
        }
        return moved + advanced;
    }

    @Override
    public boolean isWoken() {
        return active.head() == null && pool.isEveryPostHeard();
    }

    /** Announces the sleep to the posters, then looks once more: so no post is missed. */
    @Override
    public boolean arm() {
        if (!fetcher.arm()) {
            return false;
        }
        if (fetcher.hasPosted() || !commands.isEmpty()) {
            disarm();
            return false;
        }
        fetcher.publishInFlight();
        return true;
    }

    @Override
    public void disarm() {
        fetcher.disarm();
        trail.slept();
        passesToTick = 0;
    }

    @Override
    public void park(long maxNs) {
        if (arm()) {
            fetcher.sleep(maxNs);
            disarm();
        }
    }

    @Override
    public void wakeup(Thread runner) {
        pool.wakeup();
    }

    @Override
    public void onClose() {
        trail.stopped();
        commands.close();
        if (isAborted) {
            dropAll();
        }
    }

    /**
     * What {@link #abort()} dropped. Any thread; complete once the agent has ended.
     *
     * @return a line for each group of ops, and one for what is too much
     */
    public List<String> abandoned() {
        return abandoned.lines();
    }

    /**
     * Whether nothing is left to do.
     *
     * @return true when no op is active or posted; exact only on the progress thread
     */
    public boolean isDrained() {
        return active.head() == null && !fetcher.hasPosted();
    }

    /**
     * Has kernels that stand still told, too, to those who look from outside. Any thread.
     *
     * @param streams of the runtime
     */
    public void watch(HostStreams streams) {
        trail.streams(streams);
    }

    /** {@return the transport that the oldest op goes by, null if there is none; for the thread that drives this} */
    public ProxyTransport oldest() {
        return active.head() == null ? null : active.head().sub(0).connection.transport();
    }

    /** Drops all ops, active and to come, after the current pass. Any thread. */
    public void abort() {
        isAborted = true;
        pool.wakeup();
    }

    /**
     * Lets go of connections: their ops fail, and then they are {@linkplain ProxyConnection#isDetached() detached}. Any
     * thread.
     *
     * @param connections in state CLOSING
     * @param cause       what the failure of ops still using them says
     */
    public void detach(List<ProxyConnection> connections, ProxyException cause) {
        commands.ask(() -> {
            connections.forEach(connection -> connection.fail(cause));
            dropUsersOfFailed();
            assert active.subs(sub -> connections.contains(sub.connection)) == 0 : active.describe();
            connections.forEach(ProxyConnection::detach);
            return null;
        });
        if (commands.isClosed()) {
            // They are not used any more, and no pass would run the command.
            connections.forEach(connection -> connection.fail(cause));
            connections.forEach(ProxyConnection::detach);
        }
    }

    /**
     * Drops all ops of connections; they take no more. Any thread; answered by the progress thread.
     *
     * @param connections any
     * @param cause       what the failure of the ops says
     * @return how many ops were dropped
     */
    public CompletableFuture<Integer> abort(List<ProxyConnection> connections, ProxyException cause) {
        return commands.ask(() -> {
            connections.forEach(connection -> connection.fail(cause));
            return dropUsersOfFailed();
        });
    }

    /**
     * The peers of connections are gone: ops that wait for what a peer has not left behind fail, now or when they come
     * to that point. Any thread; their {@link ProxyConnection#loss()} says why.
     */
    public void onLost() {
        commands.ask(() -> {
            isAnyLost = true;
            return null;
        });
    }

    /**
     * Drops the ops of one opCount on a connection, with those behind them there; the connection takes no more. Any
     * thread; answered by the progress thread.
     *
     * @param connection its id
     * @param opCount    of the op
     * @return how many ops were dropped; 0 if there was none, or it has ended
     */
    public CompletableFuture<Integer> cancel(long connection, long opCount) {
        return commands.ask(() -> cancelNow(connection, opCount));
    }

    /**
     * Describes all active ops, as RCCL's dump does. Any thread; answered by the progress thread.
     *
     * @return a line each, heads first, those waiting behind a head indented
     */
    public CompletableFuture<List<String>> dump() {
        return commands.ask(active::describe);
    }

    /**
     * Checks that each op that was fetched and has not ended is one that this agent works on. Any thread; answered by
     * the progress thread.
     *
     * @return fails with {@link ProxyResult#INTERNAL_ERROR}, naming the ops, if some were lost
     */
    public CompletableFuture<Void> audit() {
        return commands.ask(() -> {
            int known = active.subs(sub -> fetcher.isInFlight(sub.ticket));
            fetcher.publishInFlight();
            if (known != fetcher.inFlight()) {
                throw new ProxyException(ProxyResult.INTERNAL_ERROR, "rank " + rank + " works on " + known + " ops of "
                        + fetcher.inFlight() + " in flight: " + pool.inFlight() + "; active are " + active.describe());
            }
            return null;
        });
    }

    @Override
    public void accept(ProxyOp op) {
        assert fetcher.isInFlight(op.ticket()) : op;
        ProxyConnection connection = connections.find(op.connection());
        String refusal = connection == null ? "there is no such connection" : connection.whyNoOps();
        if (refusal == null) {
            refusal = active.append(connection, op, deadlineNs(op));
        }
        if (refusal == null) {
            trail.fetched(op, connection);
        } else {
            trail.refused(op, connection, ProxyResult.INVALID_USAGE, refusal);
            fetcher.complete(op.ticket());
            counters.add(Counter.OPS_FAILED, 1);
            if (connection == null || !connection.isGivenUp()) {
                asyncResult.fail(new ProxyException(ProxyResult.INVALID_USAGE,
                        "rank " + rank + ": " + op + " was refused: " + refusal));
            }
        }
    }

    private void tick() {
        passesToTick = TICK_PASSES;
        nowNs = clock.getAsLong();
        fetcher.tick(nowNs);
        if (nowNs >= nextDeadlineNs) {
            expire();
        }
        if (isAnyLost && active.head() != null) {
            dropHopeless();
        }
        if (trail.tick(nowNs)) {
            fetcher.publishInFlight();
        }
    }

    private long deadlineNs(ProxyOp op) {
        long ms = op.timeoutMs() > 0 ? op.timeoutMs() : timeoutMs;
        if (ms == 0) {
            return NEVER;
        }
        nextDeadlineNs = Math.min(nextDeadlineNs, nowNs + ms * MS);
        return nowNs + ms * MS;
    }

    private int fetchPosted() {
        int ops = fetcher.fetch(this, batchSize + 1);
        if (ops > 0) {
            counters.add(Counter.OPS_FETCHED, ops);
            counters.add(Counter.APPEND_BATCHES, 1);
            counters.set(Counter.ARGS_ACTIVE, active.groups());
        }
        return ops;
    }

    private int advanceActive() {
        poll.accept(active.groups());
        int moved = 0;
        boolean isAnyFailed = false;
        ProxyArgs previous = null;
        ProxyArgs args = active.head();
        while (args != null) {
            int advanced = advance(args);
            moved += Math.abs(advanced);
            isAnyFailed |= advanced < 0;
            previous = advanced < 0 || args.state == ProxyArgs.State.NONE ? end(args, previous, advanced) : args;
            args = previous == null ? active.head() : previous.next;
        }
        if (isAnyFailed) {
            dropUsersOfFailed();
        }
        counters.add(Counter.PROGRESS_PASSES, 1);
        if (moved == 0) {
            counters.add(Counter.PROGRESS_IDLE_PASSES, 1);
        }
        return moved;
    }

    private int advance(ProxyArgs args) {
        int advanced = carry(args);
        if (advanced > 0) {
            trail.moved(args);
        }
        return advanced;
    }

    private int carry(ProxyArgs args) {
        assert args.state != ProxyArgs.State.NONE : args;
        try {
            int advanced = args.progress.advance(args);
            assert advanced < 0 || args.isInBounds() : args;
            return advanced;
        } catch (RuntimeException e) {
            return args.fail(ProxyResult.INTERNAL_ERROR, "the transport threw " + e);
        }
    }

    private ProxyArgs end(ProxyArgs args, ProxyArgs previous, int advanced) {
        if (advanced < 0) {
            fail(args, new ProxyException(ProxyResult.of(-advanced),
                    "rank " + rank + ": " + args + " failed: " + args.failure()));
        } else {
            counters.add(Counter.OPS_COMPLETED, args.nsubs());
            giveBack(args);
        }
        ProxyArgs next = active.remove(args, previous);
        if (next != previous) {
            trail.begun(next);
        }
        trail.left();
        counters.set(Counter.ARGS_ACTIVE, active.groups());
        return next;
    }

    /** Every end of a group comes through here, or through {@link #fail}, which calls it. */
    private void giveBack(ProxyArgs args) {
        for (int i = 0; i < args.nsubs(); i++) {
            trail.ended(args, args.sub(i));
            fetcher.complete(args.sub(i).ticket);
        }
    }

    /** A lost op leaves the step counters of both ends different for ever, so its connections are done for. */
    private void fail(ProxyArgs args, ProxyException cause) {
        args.report(asyncResult, cause);
        failConnections(args, cause);
    }

    private void failConnections(ProxyArgs args, ProxyException cause) {
        int unfinished = 0;
        for (int i = 0; i < args.nsubs(); i++) {
            if (!args.sub(i).isDone()) {
                args.sub(i).connection.fail(cause);
                unfinished++;
            }
        }
        counters.add(Counter.OPS_FAILED, unfinished);
        counters.add(Counter.OPS_COMPLETED, args.nsubs() - unfinished);
        giveBack(args);
    }

    /** Groups fall one after the other: one that is dropped fails its other connections, with what began it all. */
    private int dropUsersOfFailed() {
        int sum = 0;
        int count;
        do {
            count = drop(ProxyArgs::usesFailed, args -> {
                ProxyException cause = args.connectionFailure();
                args.report(asyncResult, new ProxyException(cause.result(), "rank " + rank + ": " + args
                        + " was dropped: " + cause.getMessage(), cause));
                failConnections(args, cause);
            });
            sum += count;
        } while (count > 0);
        return sum;
    }

    private void expire() {
        drop(args -> nowNs >= args.deadlineNs, args -> {
            counters.add(Counter.OPS_EXPIRED, args.nsubs());
            fail(args, new ProxyException(ProxyResult.TIMEOUT, "rank " + rank + ": " + args + " did not end in time"
                    + "; is its peer stuck?"));
        });
        dropUsersOfFailed();
        nextDeadlineNs = active.nextDeadlineNs();
    }

    private void dropHopeless() {
        drop(args -> args.whyHopeless() != null, args -> {
            ProxyException cause = args.whyHopeless();
            fail(args, new ProxyException(cause.result(), cause.getMessage() + "; rank " + rank + ": " + args
                    + " waits for it", cause));
        });
        dropUsersOfFailed();
    }

    private int cancelNow(long id, long opCount) {
        ProxyConnection connection = connections.find(id);
        if (connection == null) {
            return 0;
        }
        int count = drop(args -> args.opCount == opCount && args.uses(connection), args -> {
            counters.add(Counter.OPS_CANCELLED, args.nsubs());
            failConnections(args, new ProxyException(ProxyResult.INVALID_USAGE,
                    "rank " + rank + ": " + args + " was cancelled"));
        });
        return count == 0 ? 0 : count + dropUsersOfFailed();
    }

    /** Takes groups out, heads or behind one. Returns how many ops they had. */
    private int drop(Predicate<ProxyArgs> which, Consumer<ProxyArgs> onDrop) {
        int ops = active.removeIf(which, onDrop);
        trail.left();
        counters.set(Counter.ARGS_ACTIVE, active.groups());
        return ops;
    }

    /** What is dropped by an abort is counted; the abort's cause is reported by the caller that aborts. */
    private int dropAll() {
        int ops = active.head() == null ? 0 : drop(args -> true, args -> {
            abandoned.add(args);
            counters.add(Counter.OPS_FAILED, args.nsubs());
            giveBack(args);
        });
        return ops + fetcher.fetch(op -> {
            abandoned.add(op);
            fetcher.complete(op.ticket());
            counters.add(Counter.OPS_FAILED, 1);
        }, Integer.MAX_VALUE);
    }
}

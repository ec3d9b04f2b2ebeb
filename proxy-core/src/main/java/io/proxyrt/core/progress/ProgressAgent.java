/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.progress;

import io.proxyrt.core.AsyncResult;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.agent.Agent;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.counters.Counter;
import io.proxyrt.core.counters.Counters;
import io.proxyrt.core.op.OpsFetcher;
import io.proxyrt.core.op.ProxyOp;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import org.jctools.queues.varhandle.MpscUnboundedVarHandleArrayQueue;

/**
 * The progress thread's duty, RCCL's {@code ncclProxyProgress}: advance all active ops, and every so many passes, or
 * when nothing moved, fetch what was posted. An op that fails is removed and reported by name; the others go on.
 */
public final class ProgressAgent implements Agent, OpsFetcher.Sink {
    private static final long HEARTBEAT_NS = 100_000_000;

    private final int rank;
    private final OpsFetcher fetcher;
    private final ConnectionLookup connections;
    private final Counters counters;
    private final AsyncResult asyncResult;
    private final int batchSize;
    private final int fetchInterval;
    private final ActiveList active = new ActiveList();
    private final Queue<Runnable> commands = new MpscUnboundedVarHandleArrayQueue<>(64);
    private final List<ProxyConnection> detaching = new ArrayList<>();
    private int passesSinceFetch;
    private long lastHeartbeatNs = System.nanoTime() - HEARTBEAT_NS;
    private volatile boolean isAborted;

    /**
     * An agent that nobody runs yet.
     *
     * @param rank        for names and messages
     * @param fetcher     consuming end of the ops pool
     * @param connections by id
     * @param counters    of the runtime
     * @param asyncResult gets the first failure
     * @param config      batch size and fetch frequency
     */
    public ProgressAgent(int rank, OpsFetcher fetcher, ConnectionLookup connections, Counters counters,
            AsyncResult asyncResult, ProxyConfig config) {
        this.rank = rank;
        this.fetcher = fetcher;
        this.connections = connections;
        this.counters = counters;
        this.asyncResult = asyncResult;
        this.batchSize = config.get(CoreOptions.APPEND_BATCH_SIZE);
        this.fetchInterval = config.get(CoreOptions.APPEND_FREQUENCY);
    }

    @Override
    public String name() {
        return "proxy-progress-" + rank;
    }

    @Override
    public int doWork() {
        int moved = runCommands() + advanceDetaching();
        if (isAborted) {
            return moved + dropAll();
        }
        int advanced = advanceActive();
        if (advanced == 0 || active.head() == null || ++passesSinceFetch >= fetchInterval) {
            passesSinceFetch = 0;
            moved += fetchPosted();
        }
        if (moved + advanced == 0 || passesSinceFetch == 0) {
            heartbeat();
        }
        return moved + advanced;
    }

    @Override
    public boolean isWoken() {
        return active.head() == null && detaching.isEmpty();
    }

    /** Parks only after it told the posters, and looked once more: so no post is missed. */
    @Override
    public void park(long maxNs) {
        fetcher.waiting(true);
        if (!fetcher.hasPosted() && commands.isEmpty()) {
            LockSupport.parkNanos(this, maxNs);
        }
        fetcher.waiting(false);
    }

    /**
     * Whether nothing is left to do.
     *
     * @return true when no op is active or posted; exact only on the progress thread
     */
    public boolean isDrained() {
        return active.head() == null && !fetcher.hasPosted();
    }

    /** Drops all ops, active and to come, after the current pass. Any thread. */
    public void abort() {
        isAborted = true;
    }

    /**
     * Lets go of a connection: its ops fail, and then it is {@linkplain ProxyConnection#isDetached() detached}. Any
     * thread.
     *
     * @param connection in state CLOSING
     * @param cause      what the failure of ops still using it says
     */
    public void detach(ProxyConnection connection, ProxyException cause) {
        commands.add(() -> {
            connection.fail(cause);
            detaching.add(connection);
        });
    }

    /**
     * Describes all active ops, as RCCL's dump does. Any thread; answered by the progress thread.
     *
     * @return a line each, heads first, those waiting behind a head indented
     */
    public CompletableFuture<List<String>> dump() {
        CompletableFuture<List<String>> lines = new CompletableFuture<>();
        commands.add(() -> lines.complete(describeActive()));
        return lines;
    }

    @Override
    public void accept(int lane, ProxyOp op) {
        ProxyConnection connection = connections.find(op.connection());
        String refusal;
        if (connection == null) {
            refusal = "there is no such connection";
        } else if (connection.state() != ConnectionState.CONNECTED || connection.progress() == null) {
            refusal = connection + " is in state " + connection.state();
        } else if (connection.failure() != null) {
            refusal = connection + " failed before: " + connection.failure().getMessage();
        } else {
            refusal = active.append(connection, op, lane);
        }
        if (refusal != null) {
            fetcher.complete(lane);
            counters.add(Counter.OPS_FAILED, 1);
            asyncResult.fail(new ProxyException(ProxyResult.INVALID_USAGE,
                    "rank " + rank + ": " + op + " was refused: " + refusal));
        }
    }

    private int runCommands() {
        int count = 0;
        for (Runnable command = commands.poll(); command != null; command = commands.poll()) {
            command.run();
            count++;
        }
        return count;
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
        int moved = 0;
        ProxyArgs previous = null;
        ProxyArgs args = active.head();
        if (args == null) {
            return 0;
        }
        while (args != null) {
            int advanced = advance(args);
            moved += Math.abs(advanced);
            previous = advanced < 0 || args.state == ProxyArgs.State.NONE ? end(args, previous, advanced) : args;
            args = previous == null ? active.head() : previous.next;
        }
        counters.add(Counter.PROGRESS_PASSES, 1);
        if (moved == 0) {
            counters.add(Counter.PROGRESS_IDLE_PASSES, 1);
        }
        return moved;
    }

    private int advance(ProxyArgs args) {
        try {
            return args.progress.advance(args);
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
        }
        return remove(args, previous);
    }

    private ProxyArgs remove(ProxyArgs args, ProxyArgs previous) {
        for (int i = 0; i < args.nsubs(); i++) {
            fetcher.complete(args.sub(i).lane);
        }
        ProxyArgs next = active.remove(args, previous);
        counters.set(Counter.ARGS_ACTIVE, active.groups());
        return next;
    }

    /** A lost op leaves the step counters of both ends different for ever, so its connections are done for. */
    private void fail(ProxyArgs args, ProxyException cause) {
        for (int i = 0; i < args.nsubs(); i++) {
            args.sub(i).connection.fail(cause);
        }
        counters.add(Counter.OPS_FAILED, args.nsubs());
        asyncResult.fail(cause);
    }

    private int advanceDetaching() {
        int count = 0;
        for (int i = detaching.size() - 1; i >= 0; i--) {
            ProxyConnection connection = detaching.get(i);
            count += failUsers(connection);
            if (!active.uses(connection)) {
                detaching.remove(i);
                connection.detach();
                count++;
            }
        }
        return count;
    }

    /** What is dropped by an abort is counted; the abort's cause is reported by whoever aborts. */
    private int dropAll() {
        int count = 0;
        while (active.head() != null) {
            counters.add(Counter.OPS_FAILED, active.head().nsubs());
            remove(active.head(), null);
            count++;
        }
        return count + fetcher.fetch((lane, op) -> {
            fetcher.complete(lane);
            counters.add(Counter.OPS_FAILED, 1);
        }, Integer.MAX_VALUE);
    }

    /** Fails all heads that use the connection; their successors become heads. */
    private int failUsers(ProxyConnection connection) {
        int count = 0;
        ProxyArgs previous = null;
        ProxyArgs args = active.head();
        while (args != null) {
            if (args.uses(connection)) {
                counters.add(Counter.OPS_FAILED, args.nsubs());
                ProxyException cause = connection.failure();
                asyncResult.fail(new ProxyException(cause.result(), "rank " + rank + ": " + args + " was dropped: "
                        + cause.getMessage(), cause));
                previous = remove(args, previous);
                count++;
            } else {
                previous = args;
            }
            args = previous == null ? active.head() : previous.next;
        }
        return count;
    }

    private List<String> describeActive() {
        List<String> lines = new ArrayList<>();
        for (ProxyArgs args = active.head(); args != null; args = args.next) {
            lines.add(args.toString());
            for (ProxyArgs waiting = args.nextPeer; waiting != null; waiting = waiting.nextPeer) {
                lines.add("  behind it: " + waiting);
            }
        }
        return lines;
    }

    private void heartbeat() {
        long now = System.nanoTime();
        if (now - lastHeartbeatNs >= HEARTBEAT_NS) {
            lastHeartbeatNs = now;
            counters.heartbeat(System.currentTimeMillis());
        }
    }
}

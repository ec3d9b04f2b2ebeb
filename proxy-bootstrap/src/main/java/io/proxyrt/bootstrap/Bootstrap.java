/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bootstrap;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.agent.Uninterruptibly;
import io.proxyrt.core.config.JobSecret;
import io.proxyrt.core.config.ProxyConfig;
import java.net.InetAddress;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.LongConsumer;

/**
 * One rank's membership in a job: rounds with all ranks, messages to any of them, and word of the first failure.
 *
 * <p>Runs one daemon thread, {@code proxy-bootstrap-<rank>}, until closed. All methods are thread-safe. Those that wait
 * block the calling thread until their timeout at most (see each), can be interrupted (the flag stays set, and a
 * {@link ProxyException} with {@code INVALID_USAGE} is thrown), and must not be called from a failure listener.
 *
 * <p>Rounds of one kind match up by their order: all ranks must make the same sequence of {@link #allGather} calls, and
 * the same of {@link #barrier} calls; how the two kinds mix does not matter. Threads of one rank that call the same
 * kind must agree among themselves on their order.
 *
 * <p>After the job has failed every call throws that failure, as a new exception with the original as its cause.
 */
public final class Bootstrap implements RankGroup, AutoCloseable {
    private static final long CLOSE_NS = TimeUnit.SECONDS.toNanos(2);
    private static final long EXTRA_NS = TimeUnit.SECONDS.toNanos(1);
    /** Of all ranks of this process, in any job. */
    private static final DrivePace PACE = new DrivePace();

    private final UniqueId id;
    private final long closeNs;
    private final int rank;
    private final int nRanks;
    private final BootstrapConfig config;
    private final JobSecret secret;
    private final RankAgent agent;
    private final Thread thread;
    /** Null where threads do all that others may wait for. */
    private volatile Runnable driver;

    private Bootstrap(UniqueId id, int rank, int nRanks, Session session) {
        this.id = id;
        this.rank = rank;
        this.nRanks = nRanks;
        this.config = session.config();
        this.secret = session.secret();
        this.closeNs = Math.max(CLOSE_NS, TimeUnit.MILLISECONDS.toNanos(session.terms().resumeMillis()));
        this.agent = new RankAgent(rank, nRanks, RootAgent.name(id.address()), session);
        this.thread = Thread.ofPlatform().daemon().name("proxy-bootstrap-" + rank).unstarted(() -> PACE.during(agent));
    }

    /**
     * Joins the job with the secret of the environment, if there is one.
     *
     * @param id       as of {@link #join(UniqueId, int, int, Duration, ProxyConfig)}
     * @param rank     as of that
     * @param nRanks   as of that
     * @param deadline as of that
     * @return a membership, to be closed
     * @throws ProxyException as of that
     */
    public static Bootstrap join(UniqueId id, int rank, int nRanks, Duration deadline) {
        return join(id, rank, nRanks, deadline, ProxyConfig.builder().build());
    }

    /**
     * Joins the job, and waits for all other ranks to do so. The root may be opened later: until the deadline this
     * tries again. Each side proves to the other that it knows the id and the secret, which do not travel; where the
     * root is on this host, the kernel is asked whose process it is, too.
     *
     * @param id       where the root is, and which job
     * @param rank     this rank, from 0
     * @param nRanks   how many ranks there are, as the root was told
     * @param deadline how long to wait for the root and all ranks; the shortest of all ranks holds. The looking up of a
     *                 host name is not bounded by it, and a root that goes silent meanwhile may take its silence limit
     *                 longer
     * @param settings with the secret of the job, if the root has one, and the users of this host who may be peers
     * @return a membership, to be closed
     * @throws ProxyException {@code TIMEOUT} when the root was not reached, naming its address, or when ranks are
     *                        missing, naming them; {@code REMOTE_ERROR} when a rank or the root died meanwhile, or what
     *                        answers at that address has another id, secret or user; {@code INVALID_ARGUMENT} or
     *                        {@code INVALID_USAGE} when the root refuses this rank, for arguments out of range, or when
     *                        others may know the id and reach the address, and there is no secret
     */
    public static Bootstrap join(UniqueId id, int rank, int nRanks, Duration deadline, ProxyConfig settings) {
        requireRank(rank, nRanks);
        if (id.address().getPort() == 0) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT,
                    "no rank can join at port 0: ask the root for its id");
        }
        final Deadline end = Deadline.in(deadline);
        final Bootstrap bootstrap = start(id, rank, nRanks,
                Connector.connect(id, new Claim(Credential.of(id, settings), rank, nRanks, LinkTerms.of(settings)),
                        end, BootstrapOptions.staggerNs(rank, nRanks, settings)));
        try {
            bootstrap.await(bootstrap.agent.ready(), Math.max(0, end.remainingNs()), deadline, "joining");
            return bootstrap;
        } catch (RuntimeException | Error e) {
            bootstrap.abort("it gave up joining: " + e.getMessage());
            bootstrap.close();
            throw e;
        }
    }

    private static Bootstrap start(UniqueId id, int rank, int nRanks, Session session) {
        try {
            final Bootstrap bootstrap = new Bootstrap(id, rank, nRanks, session);
            bootstrap.thread.start();
            return bootstrap;
        } catch (RuntimeException | Error e) {
            session.giveUp("it has no thread for its bootstrap: " + e);
            throw e;
        }
    }

    /**
     * This rank.
     *
     * @return from 0
     */
    @Override
    public int rank() {
        return rank;
    }

    /**
     * How many ranks the job has.
     *
     * @return at least 1
     */
    @Override
    public int nRanks() {
        return nRanks;
    }

    /** The same number. */
    @Override
    public int jobRank(int member) {
        requireRank(member, nRanks);
        return member;
    }

    @Override
    public String name() {
        return "job " + id.label();
    }

    @Override
    public String self() {
        return "rank " + rank;
    }

    @Override
    public boolean isWhole() {
        return true;
    }

    /** What this thread does, again and again, while it waits for other ranks: they may wait for that. */
    void driver(Runnable whileWaiting) {
        driver = whileWaiting;
    }

    /** Whether messages still pass, also after a failure of the job. */
    boolean hasRoot() {
        return agent.hasRoot();
    }

    InetAddress localAddress() {
        return agent.localAddress();
    }

    BootstrapConfig config() {
        return config;
    }

    /** Sends a blob to another rank, also after a failure of the job. */
    void sendAnyway(int peer, int tag, byte[] blob) {
        agent.submit(new Message.Blob(peer, tag, blob));
    }

    /** Most bytes that may lie in an inbox. */
    int maxQueuedBytes() {
        return config.maxQueuedBytes();
    }

    /** Most bytes of a blob. */
    int maxBlobBytes() {
        return config.maxFrameBytes() - BootstrapDescriptor.MAX_BLOB_OVERHEAD;
    }

    /**
     * The id joined under.
     *
     * @return as given
     */
    public UniqueId id() {
        return id;
    }

    /**
     * What only the ranks of this job know. It follows from the id, the secret of the settings and random
     * bits of the root's, so each job has its own; it did not travel.
     *
     * @return equal at all ranks; as good as the id is secret, if the settings have none
     */
    public JobSecret secret() {
        return secret;
    }

    /**
     * Gives everybody's blob to everybody. Ends alike for all ranks; when it times out the job lives on.
     *
     * @param mine    this rank's blob, copied; may be empty, and of another length at each rank
     * @param timeout how long to wait for the other ranks; the shortest of all ranks holds. A root that goes silent
     *                meanwhile may take its silence limit longer
     * @return a blob of each rank, by rank; the caller's own
     * @throws ProxyException {@code TIMEOUT} naming the ranks that did not come; {@code REMOTE_ERROR} when a rank or
     *                        the root is gone; {@code INVALID_ARGUMENT} for a blob longer than a frame;
     *                        {@code INVALID_USAGE} when closed or interrupted
     */
    @Override
    public byte[][] allGather(byte[] mine, Duration timeout) {
        requireFits(mine);
        return round(RoundKind.ALL_GATHER, mine, timeout);
    }

    /**
     * Waits until all ranks have called it. Ends alike for all ranks; when it times out the job lives on.
     *
     * @param timeout as of {@link #allGather}
     * @throws ProxyException as of {@link #allGather}
     */
    @Override
    public void barrier(Duration timeout) {
        round(RoundKind.BARRIER, MessageCodec.NOTHING, timeout);
    }

    private byte[][] round(RoundKind kind, byte[] mine, Duration timeout) {
        requireOtherThread();
        final long timeoutMillis = Deadline.millis(timeout);
        final RoundWaiters.Waiter waiter = agent.rounds().begin(kind,
                sequence -> agent.submit(new Message.Part(kind, sequence, timeoutMillis, mine)));
        try {
            await(waiter.done(), Deadline.nanos(timeout), timeout, waiter.round().toString());
            return waiter.blobs(nRanks);
        } finally {
            agent.rounds().forget(waiter);
        }
    }

    /**
     * Sends a blob to one rank. Does not block: it is queued, and goes by way of the root. Blobs from one rank to
     * another with the same tag arrive in the order sent.
     *
     * @param peer the destination; may be this rank
     * @param tag  any number, for the receiver to tell blobs apart
     * @param blob copied; may be empty
     * @throws ProxyException {@code INVALID_ARGUMENT} for a rank there is not or a blob longer than a frame;
     *                        {@code REMOTE_ERROR} when the peer has closed or the job has failed; {@code SYSTEM_ERROR}
     *                        when more waits to be sent than may; {@code INVALID_USAGE} when closed
     */
    @Override
    public void send(int peer, int tag, byte[] blob) {
        requireRank(peer, nRanks);
        requireFits(blob);
        agent.inbox().requireOpen(peer);
        if (peer != rank) {
            agent.submit(new Message.Blob(peer, tag, blob));
        } else if (!agent.inbox().put(rank, tag, blob.clone())) {
            throw new ProxyException(ProxyResult.SYSTEM_ERROR, "rank " + rank + " has more than "
                    + config.maxQueuedBytes() + " bytes that it did not receive");
        }
    }

    /**
     * Waits for the next blob of one rank with this tag; blobs of others, or with other tags, are kept meanwhile. What
     * came before a failure can still be received after it.
     *
     * @param peer    the source; may be this rank
     * @param tag     as sent
     * @param timeout how long to wait
     * @return the blob; the caller's own
     * @throws ProxyException {@code TIMEOUT} naming rank and tag; {@code REMOTE_ERROR} when the peer has closed or the
     *                        job has failed; {@code INVALID_ARGUMENT} for a rank there is not; {@code INVALID_USAGE}
     *                        when closed or interrupted
     */
    public byte[] receive(int peer, int tag, Duration timeout) {
        return receive(peer, tag, timeout, _ -> { });
    }

    /**
     * As {@link #receive(int, int, Duration)}, and says now and then that it still waits.
     *
     * @param peer    the source; may be this rank
     * @param tag     as sent
     * @param timeout how long to wait
     * @param onWait  gets the nanoseconds waited so far, about four times a second; in the calling thread
     * @return the blob; the caller's own
     * @throws ProxyException as {@link #receive(int, int, Duration)}
     */
    @Override
    public byte[] receive(int peer, int tag, Duration timeout, LongConsumer onWait) {
        requireRank(peer, nRanks);
        requireOtherThread();
        return take(agent.inbox(), peer, tag, timeout, onWait);
    }

    /** Waits for a blob, and drives what has no thread meanwhile. */
    byte[] take(Inbox inbox, int peer, int tag, Duration timeout, LongConsumer onWait) {
        final Runnable drive = driver;
        return drive == null ? inbox.take(peer, tag, timeout, onWait) : inbox.take(peer, tag, timeout, waitedNs -> {
            drive.run();
            onWait.accept(waitedNs);
        }, PACE.pauseNs());
    }

    /**
     * Gives blobs with a tag to a listener from now on, instead of keeping them for {@link #receive}.
     *
     * @param tag      as sent
     * @param listener gets the sender and the blob, from the bootstrap's thread; must neither block nor throw; may call
     *                 {@link #send}, {@link #abort} and {@link #close}
     */
    @Override
    public void listen(int tag, BiConsumer<Integer, byte[]> listener) {
        agent.listen(tag, Objects.requireNonNull(listener));
    }

    /**
     * Asks to be told of the job's failure, once: when another rank dies, aborts or breaks the protocol, or the root is
     * gone. Not told: this rank's own {@link #abort}, timeouts of rounds, and anything after {@link #close}.
     *
     * @param listener called from the bootstrap's thread, or at once from this one when the failure is known; must not
     *                 block, for this rank's heartbeats wait for it; may call {@link #abort} and {@link #close}
     */
    @Override
    public void onFailure(Consumer<ProxyException> listener) {
        agent.failure().onFailure(Objects.requireNonNull(listener));
    }

    /**
     * The job's first failure, this rank's own abort included.
     *
     * @return empty while all is well
     */
    @Override
    public Optional<ProxyException> failure() {
        return agent.failure().failure();
    }

    /**
     * Says what to tell of a failure that this rank has seen: a broken connection is often only the consequence of
     * another rank's death, of which the job hears a moment later. If the job has not failed, or this rank knows for
     * certain whose doing it is, that is the failure, and the other ranks are told, as by {@link #abort}. Blocks for
     * two seconds at most where the failure may be another rank's, and as {@link #abort} does.
     *
     * @param local what was seen here
     * @return what to throw: the job's failure, or this one, with this rank's number in front, and the local one as its
     *         cause
     */
    @Override
    public ProxyException verdict(ProxyException local) {
        return Verdict.of(this, self() + ": ", Objects.requireNonNull(local));
    }

    /**
     * Whether any other rank has closed its membership, which is no failure of the job by itself.
     *
     * @return false while all are there, as far as this rank was told
     */
    @Override
    public boolean isAnyGone() {
        return agent.inbox().isAnyGone();
    }

    /**
     * Declares this rank failed: all other ranks fail, with this rank's number and the reason. Waits up to two seconds
     * for the news to leave this process, so that it may exit next, whether interrupted or not. Does nothing
     * more when the job has failed already, and never throws.
     *
     * @param reason what happened; goes to all other ranks, cut at 4096 bytes
     */
    @Override
    public void abort(String reason) {
        final CompletableFuture<Void> left = agent.abort(String.valueOf(reason));
        if (Thread.currentThread() == thread) {
            return;
        }
        try {
            Uninterruptibly.get(left, Duration.ofNanos(CLOSE_NS));
        } catch (ExecutionException | TimeoutException e) {
            BootstrapRoot.LOG.debug("the abort of rank {} may not have left this process", rank, e);
        }
    }

    /** As {@link #abort}, of what others have done to this rank: its own listeners hear of it too. Does not block. */
    void giveUp(String why) {
        agent.giveUp(why);
    }

    /**
     * Says goodbye and leaves. Rounds and messages that other ranks expect of this one fail for them from now on, but
     * the job does not. Waits up to two seconds for what was sent to be taken, or for as long as a broken link may take
     * to come back, whether interrupted or not. Idempotent.
     */
    @Override
    public void close() {
        agent.close(closeNs);
        if (Thread.currentThread() == thread) {
            return;
        }
        if (!Uninterruptibly.join(thread, Duration.ofNanos(closeNs + EXTRA_NS))) {
            BootstrapRoot.LOG.warn("the bootstrap thread of rank {} did not end in time", rank);
        }
    }

    /** The root enforces timeouts and says who is missing; only when it says nothing this side gives up by itself. */
    private <T> T await(CompletableFuture<T> answer, long timeoutNs, Duration timeout, String what) {
        try {
            driveUntil(answer, timeoutNs);
            return answer.get(timeoutNs + config.silenceLimit().toNanos() + EXTRA_NS, TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ProxyException(ProxyResult.INVALID_USAGE, "rank " + rank + " was interrupted while waiting: "
                    + what, e);
        } catch (TimeoutException e) {
            throw new ProxyException(ProxyResult.TIMEOUT, what + ": after " + Wording.duration(timeout) + " rank "
                    + rank + " still has no answer of the " + RootAgent.name(id.address()), e);
        } catch (ExecutionException e) {
            throw thrownHere((ProxyException) e.getCause());
        }
    }

    private void driveUntil(CompletableFuture<?> answer, long timeoutNs) {
        final Runnable drive = driver;
        if (drive == null) {
            return;
        }
        final Thread waiting = Thread.currentThread();
        answer.whenComplete((_, _) -> LockSupport.unpark(waiting));
        final long beginNs = System.nanoTime();
        while (!answer.isDone() && System.nanoTime() - beginNs < timeoutNs && !waiting.isInterrupted()) {
            drive.run();
            LockSupport.parkNanos(PACE.pauseNs());
        }
    }

    /** The same failure with this thread's stack. */
    static ProxyException thrownHere(ProxyException e) {
        return new ProxyException(e.result(), e.getMessage(), e);
    }

    static void requireRank(int rank, int nRanks) {
        if (rank < 0 || rank >= nRanks) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, "rank " + rank + " is not within 0 to "
                    + (nRanks - 1));
        }
    }

    private void requireFits(byte[] blob) {
        if (blob.length > maxBlobBytes()) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, "a blob of " + blob.length + " bytes; at most "
                    + maxBlobBytes() + " fit into a frame of this job");
        }
    }

    void requireOtherThread() {
        if (Thread.currentThread() == thread) {
            throw new ProxyException(ProxyResult.INVALID_USAGE, "the bootstrap's own thread must not wait: a failure "
                    + "listener called a blocking method");
        }
    }
}

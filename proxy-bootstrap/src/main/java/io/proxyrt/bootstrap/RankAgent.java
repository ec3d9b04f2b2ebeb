/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bootstrap;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.auth.PeerText;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;

/**
 * A rank's thread: the only one that touches its connections. Other threads hand it frames with {@link #submit}, and
 * get what came from {@link #rounds()} and {@link #inbox()}.
 */
final class RankAgent implements Runnable {
    private final int rank;
    private final int nRanks;
    private final String rootName;
    private final Session session;
    private final Poller poller;
    private final InetAddress localAddress;
    private final Conversation conversation;
    private final BootstrapConfig config;
    private final RoundWaiters rounds;
    private final Inbox inbox;
    private final FailureCell failure = new FailureCell();
    private final CompletableFuture<Void> ready = new CompletableFuture<>();
    private final Queue<ByteBuffer> submitted = new ConcurrentLinkedQueue<>();
    private final Map<Integer, BiConsumer<Integer, byte[]>> listeners = new ConcurrentHashMap<>();
    private final AtomicLong submittedBytes = new AtomicLong();
    private final Queue<CompletableFuture<Void>> flushWaiters = new ConcurrentLinkedQueue<>();
    private final SilenceClock clock;
    private final AnswerTree tree;
    private volatile long queuedBytes;
    private volatile long closeAtNs;
    private volatile boolean isClosing;
    private volatile boolean isGoodbyeQueued;
    /** The last frame that is sent; null before there is one. */
    private volatile ByteBuffer goodbye;
    private boolean isGoodbyeOffered;
    private volatile boolean hasEnded;
    private Link link;
    /** Whether the last wait has found something of the root's. */
    private boolean isReadable;
    /** The last all-gather whose answer is here; by whichever way, others come behind it. */
    private long answered = -1;
    /** Whether answers come by way of another rank. */
    private boolean isBelow;
    /** Null unless the connection broke and this rank is about to come back. */
    private Redial redial;
    private int attempt;
    /** The rank whose process the root lives in; -1 if it is none, or this one. */
    private int host = BootstrapDescriptor.NO_RANK;
    private long hostPid;
    private boolean isOutputShut;
    private volatile boolean isDone;
    /** The root has said that it goes. */
    private volatile boolean isRootGoing;
    private long nextHeartbeatNs;
    private long lastHeardNs;

    RankAgent(int rank, int nRanks, String rootName, Session session) {
        this.rank = rank;
        this.nRanks = nRanks;
        this.rootName = rootName;
        this.session = session;
        this.poller = session.poller();
        this.link = session.link();
        link.onReady(this::found);
        this.localAddress = ((InetSocketAddress) link.localAddress()).getAddress();
        this.conversation = new Conversation(session.terms().isResumable());
        this.config = session.config();
        this.rounds = new RoundWaiters(nRanks);
        this.inbox = new Inbox(config.maxQueuedBytes());
        this.tree = new AnswerTree(rank, nRanks, session, localAddress, this::answer);
        this.nextHeartbeatNs = poller.nanoTime();
        this.clock = new SilenceClock(config.heartbeatInterval().toNanos(), nextHeartbeatNs);
    }

    RoundWaiters rounds() {
        return rounds;
    }

    Inbox inbox() {
        return inbox;
    }

    FailureCell failure() {
        return failure;
    }

    /** From any thread: has blobs with this tag go to a listener. */
    void listen(int tag, BiConsumer<Integer, byte[]> listener) {
        listeners.put(tag, listener);
    }

    /** Whether the root is there, also after a failure of the job. */
    boolean hasRoot() {
        return !isDone && !isRootGoing;
    }

    /** Where this rank has dialled the root from. */
    InetAddress localAddress() {
        return localAddress;
    }

    /** Completes when all ranks have joined. */
    CompletableFuture<Void> ready() {
        return ready;
    }

    /** From any thread: sends a message soon; throws {@code SYSTEM_ERROR} when too much is waiting already. */
    void submit(Message message) {
        final ByteBuffer frame = MessageCodec.encode(message);
        final long waiting = submittedBytes.get() + queuedBytes;
        if (waiting > config.maxQueuedBytes()) {
            throw new ProxyException(ProxyResult.SYSTEM_ERROR, "rank " + rank + " sends faster than the " + rootName
                    + " takes: " + waiting + " bytes are waiting");
        }
        enqueue(frame);
    }

    private void enqueue(ByteBuffer frame) {
        submittedBytes.addAndGet(frame.remaining());
        submitted.add(frame);
        poller.wakeup();
    }

    /**
     * From any thread: fails this rank by its own will.
     *
     * @return completes when the news has left this process, or never will
     */
    CompletableFuture<Void> abort(String reason) {
        final CompletableFuture<Void> left = new CompletableFuture<>();
        final ProxyException e = new ProxyException(ProxyResult.INVALID_USAGE, "this rank, " + rank + ", aborted: "
                + PeerText.line(reason));
        if (failure.failOwn(e)) {
            end(e);
            enqueue(MessageCodec.encode(new Message.Abort(reason)));
        }
        flushWaiters.add(left);
        poller.wakeup();
        if (hasEnded) {
            left.complete(null);
        }
        return left;
    }

    /** From any thread: says goodbye, and ends when the root has closed, or after this time. */
    synchronized void close(long lingerNs) {
        end(new ProxyException(ProxyResult.INVALID_USAGE, "the bootstrap of rank " + rank + " is closed"));
        closeAtNs = poller.nanoTime() + lingerNs;
        if (!isClosing) {
            isClosing = true;
            goodbye = MessageCodec.encode(new Message.Goodbye());
            enqueue(goodbye);
            isGoodbyeQueued = true;
        }
        poller.wakeup();
    }

    private void end(ProxyException e) {
        rounds.end(e);
        inbox.end(e);
        ready.completeExceptionally(e);
    }

    @Override
    public void run() {
        boolean goesOn = true;
        while (goesOn) {
            goesOn = turn();
        }
    }

    /** One pass over the connections; returns false behind the last one, when all is closed. */
    boolean turn() {
        try {
            while (!session.early().isEmpty()) {
                receiveEarly(session.early().remove());
            }
            pass();
        } catch (ProxyException e) {
            lose("it broke the protocol with " + e.getMessage());
        } catch (RuntimeException | Error e) {
            isDone = true;
            BootstrapRoot.LOG.error("the bootstrap of rank {} stops: this is a bug, please report it", rank, e);
            fail(new ProxyException(ProxyResult.INTERNAL_ERROR,
                    "the bootstrap of rank " + rank + " stops after " + e, e));
        }
        if (isDone) {
            finish();
        }
        return !isDone;
    }

    private void finish() {
        link.close();
        tree.close();
        if (redial != null) {
            redial.close();
        }
        session.close();
        end(new ProxyException(ProxyResult.INVALID_USAGE, "the bootstrap of rank " + rank + " is closed"));
        hasEnded = true;
        flushWaiters.forEach(waiter -> waiter.complete(null));
    }

    private void pass() {
        try {
            if (redial == null) {
                converse();
            } else {
                comeBack();
            }
        } catch (IOException e) {
            broke(e.getMessage());
        }
    }

    private void converse() throws IOException {
        final boolean isLast = isGoodbyeQueued;
        try {
            send(isLast);
        } catch (IOException e) {
            link.read(this::receive);       // the root's last word says more than a broken pipe
            throw e;
        }
        if (isLast && closeAtNs - poller.nanoTime() <= 0) {
            isDone = true;
        } else if (select()) {
            lastHeardNs = clock.awakeNs();
            if (!link.read(this::receive)) {
                endOfStream();
            } else if (conversation.isReportDue(link)) {
                nextHeartbeatNs = poller.nanoTime();
            }
        } else if (clock.awakeNs() - lastHeardNs > config.silenceLimit().toNanos()) {
            lose("silent for " + Wording.duration(config.silenceLimit()));
        }
    }

    /** Behind a goodbye it is the root's answer. */
    private void endOfStream() {
        if (isOutputShut) {
            lose("connection closed");
        } else {
            broke("connection closed");
        }
    }

    /** The connection is gone; the conversation is not, where the link can be resumed. */
    private void broke(String how) {
        if (isDone || !session.terms().isResumable() || failure.failure().isPresent()) {
            lose(how);
            return;
        }
        BootstrapRoot.LOG.info("rank {} dials the {} again: {}", rank, rootName, how);
        link.close();
        redial = new Redial(session, new Return(session.answer().session(), attempt, conversation.received()), how);
    }

    private void comeBack() throws IOException {
        moveSubmitted();
        if (isGoodbyeQueued && closeAtNs - poller.nanoTime() <= 0) {
            isDone = true;
        } else if (redial.advance()) {
            goOn();
        } else if (redial.isOver()) {
            lose(redial.cause() + ", and it could not be reached within "
                    + Wording.millis(session.terms().resumeMillis()));
        } else if (session.answer().origin().isKnownDead()) {
            lose(redial.cause() + ", and its process has ended");
        } else {
            poller.select(redial.waitMillis());
            tree.advance();
            Thread.interrupted();
            clock.advance(poller.nanoTime());
        }
    }

    /** Over the new connection, behind what each side has got. */
    private void goOn() {
        final Redial done = redial;
        redial = null;
        link = done.link();
        link.onReady(this::found);
        attempt = done.attempt();
        isOutputShut = false;
        lastHeardNs = clock.awakeNs();
        final Message answer = done.received().remove();
        if (answer instanceof Message.Refused refused) {
            isDone = true;
            fail(new ProxyException(refused.result(), "the " + rootName + " does not go on with rank " + rank + ": "
                    + refused.text()));
            lose("it does not go on");
            return;
        }
        if (!(answer instanceof Message.Resumed resumed)) {
            throw MessageReader.malformed("a " + answer.getClass().getSimpleName() + " to a rank that came back");
        }
        BootstrapRoot.LOG.info("rank {} has the {} again", rank, rootName);
        conversation.resume(link, resumed.received());
        done.received().forEach(this::receiveEarly);
    }

    private void found() {
        isReadable |= link.isReadable();
    }

    /** Waits until there is something to do; returns whether something came. */
    private boolean select() throws IOException {
        final long nowNs = poller.nanoTime();
        final long ownNs = Math.min(nextHeartbeatNs - nowNs, isGoodbyeQueued ? closeAtNs - nowNs : Long.MAX_VALUE);
        final long waitNs = Math.min(ownNs, tree.remainingNs(nowNs));
        isReadable = false;
        poller.select(TimeUnit.NANOSECONDS.toMillis(waitNs));
        Thread.interrupted();
        clock.advance(poller.nanoTime());
        return isReadable;
    }

    private void send(boolean isLast) throws IOException {
        final CompletableFuture<?>[] waiters = flushWaiters.toArray(CompletableFuture[]::new);
        moveSubmitted();
        heartbeat();
        tree.advance();
        final boolean isEmpty = link.flush();
        queuedBytes = Math.max(link.queuedBytes(), conversation.keptBytes());
        if (isEmpty) {
            for (final CompletableFuture<?> waiter : waiters) {
                waiter.complete(null);
                flushWaiters.remove(waiter);
            }
            if (isLast && !isOutputShut) {
                isOutputShut = true;
                link.shutdownOutput();
            }
        }
    }

    /** But nothing behind a goodbye, from whichever thread: the root is done with this rank then. */
    private void moveSubmitted() {
        for (ByteBuffer frame = submitted.poll(); frame != null; frame = submitted.poll()) {
            submittedBytes.addAndGet(-frame.remaining());
            if (!isGoodbyeOffered) {
                isGoodbyeOffered = frame == goodbye;
                conversation.offer(link, frame);
            }
        }
        queuedBytes = Math.max(link.queuedBytes(), conversation.keptBytes());
    }

    private void heartbeat() {
        final long nowNs = poller.nanoTime();
        if (nextHeartbeatNs - nowNs <= 0) {
            nextHeartbeatNs = nowNs + config.heartbeatInterval().toNanos();
            if (link.queuedBytes() == 0 && !isOutputShut) {
                link.offer(MessageCodec.encode(conversation.heartbeat(link)));
            }
        }
    }

    /** What has come before there was a thread for it. */
    private void receiveEarly(Message message) {
        receive(message, MessageCodec.encode(message));
    }

    private void receive(Message message, ByteBuffer frame) {
        conversation.heard(message);
        switch (message) {
            case Message.Heartbeat _ -> { }
            case Message.Host(int of, long pid) -> hosted(checked(of), pid);
            case Message.Ready _ -> ready.complete(null);
            case Message.Gathered _ -> answer(message, frame);
            case Message.RoundDone done when done.kind() == RoundKind.ALL_GATHER -> answer(done, frame);
            case Message.RoundDone done -> rounds.done(done);
            case TreeMessage.Fan(int fan) -> passOn(fan);
            case TreeMessage.Above above -> dial(above);
            case Message.RoundFailed failed -> rounds.failed(failed);
            case Message.Blob blob -> keep(blob);
            case Message.Left left -> left(left);
            case Message.Failed failed -> failed(failed);
            default -> throw MessageReader.malformed("a " + message.getClass().getSimpleName()
                    + ", which is not for a root to send now");
        }
    }

    /** A part of an answer, of the root or of the rank above; both may send it. */
    private void answer(Message message, ByteBuffer frame) {
        if (message instanceof Message.Gathered gathered && gathered.sequence() > answered) {
            rounds.gathered(gathered);
            tree.pass(frame);
        } else if (message instanceof Message.RoundDone done && done.sequence() > answered) {
            rounds.done(done);
            answered = done.sequence();
            tree.pass(frame);
            if (isBelow) {
                enqueue(MessageCodec.encode(new TreeMessage.Got(answered)));
            }
        }
    }

    private void passOn(int fan) {
        final int port = tree.open(fan);
        if (port > 0) {
            enqueue(MessageCodec.encode(new TreeMessage.Door(port)));
        }
    }

    private void dial(TreeMessage.Above above) {
        if (isBelow) {
            throw MessageReader.malformed("a second rank above this one");
        }
        isBelow = true;
        try {
            tree.dial(new InetSocketAddress(InetAddress.getByAddress(above.address()), above.port()));
        } catch (UnknownHostException | IllegalArgumentException e) {
            throw MessageReader.malformed("an address that is none: " + e.getMessage());
        }
    }

    /** Once all have joined, a failure that is no rank's is the root's own. */
    private void failed(Message.Failed failed) {
        isRootGoing |= failed.rank() == BootstrapDescriptor.NO_RANK && ready.isDone();
        fail(new ProxyException(failed.result(), failed.rank() == rank
                ? "the " + rootName + " gave this rank up: " + failed.text() : failed.text()));
    }

    private void hosted(int of, long pid) {
        host = of == rank ? BootstrapDescriptor.NO_RANK : of;
        hostPid = pid;
    }

    private int checked(int peer) {
        if (peer < 0 || peer >= nRanks) {
            throw MessageReader.malformed("news of rank " + peer + " of " + nRanks);
        }
        return peer;
    }

    private void left(Message.Left left) {
        if (left.count() < 1 || left.count() > nRanks - checked(left.first())) {
            throw MessageReader.malformed("news of " + left.count() + " ranks from rank " + left.first() + " on");
        }
        inbox.left(left.first(), left.count());
    }

    private void keep(Message.Blob blob) {
        final BiConsumer<Integer, byte[]> listener = listeners.get(blob.tag());
        if (listener != null) {
            listener.accept(checked(blob.peer()), blob.blob());
            return;
        }
        if (!inbox.put(checked(blob.peer()), blob.tag(), blob.blob())) {
            giveUp("more than " + config.maxQueuedBytes() + " bytes have come that were not received, the last from"
                    + " rank " + blob.peer() + " with tag " + blob.tag());
        }
    }

    /** From any thread: this rank cannot go on, of which its listeners hear, and the other ranks. */
    void giveUp(String why) {
        enqueue(MessageCodec.encode(new Message.Abort(why)));
        fail(new ProxyException(ProxyResult.SYSTEM_ERROR, "rank " + rank + " has failed: " + why));
    }

    private void lose(String how) {
        isDone = true;
        if (isClosing || failure.failure().isPresent()) {
            BootstrapRoot.LOG.debug("the connection of rank {} to the {} has ended: {}", rank, rootName, how);
            return;
        }
        final String whose = host == BootstrapDescriptor.NO_RANK ? "" : "rank " + host + " (pid " + hostPid
                + ") died: ";
        final String text = whose + "the " + rootName + " is gone: " + how;
        BootstrapRoot.LOG.warn("rank {}: {}", rank, text);
        fail(new ProxyException(ProxyResult.REMOTE_ERROR, text));
    }

    private void fail(ProxyException e) {
        if (!isClosing && failure.fail(e)) {
            end(e);
            failure.tell();
        }
    }
}

/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bootstrap;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.diagnosis.Diagnosis;
import io.proxyrt.core.diagnosis.RemoteRanks;
import io.proxyrt.core.progress.PeerInfo;
import io.proxyrt.core.runtime.ProxyState;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

/**
 * What ranks tell of each other when a job stands still, by messages of the bootstrap: its threads answer whatever
 * their ranks' callers and proxies do. The rank itself is asked, and others of its host, which see one that is stopped
 * or dead.
 */
final class RemoteImages implements RemoteRanks {
    private static final int ASK_TAG = GroupMail.TAG + 12;
    private static final int TELL_TAG = GroupMail.TAG + 13;
    /** Of the rank's host, itself not counted. */
    private static final int MOST_OTHERS = 2;
    private static final int ASK_BYTES = Long.BYTES + Integer.BYTES;
    /** Less than between the two images that an observation takes. */
    private static final long FRESH_NS = 100_000_000;

    private final Bootstrap bootstrap;
    private final AtomicLong asked = new AtomicLong();
    private final Map<Long, Question> pending = new ConcurrentHashMap<>();
    /** The bootstrap's thread's. */
    private final Map<Integer, Told> told = new HashMap<>();
    /** Null before all know of each other. */
    private volatile Job job;

    /** Answered by the first that sees the rank, or in vain by the last. */
    private static final class Question {
        private final CompletableFuture<byte[]> answer = new CompletableFuture<>();
        private final AtomicInteger open;

        Question(int asked) {
            open = new AtomicInteger(asked);
        }
    }

    /** What was told of a rank last; empty if it is not seen from here. */
    private record Told(byte[] image, long timeNs) {
    }

    /** This rank's runtime, and where all others are. */
    private record Job(ProxyState proxy, IntFunction<PeerInfo> infos) {
    }

    RemoteImages(Bootstrap bootstrap) {
        this.bootstrap = bootstrap;
    }

    /** Asks and answers from now on. */
    void begin(ProxyState proxy, IntFunction<PeerInfo> infos) {
        job = new Job(proxy, infos);
        bootstrap.listen(TELL_TAG, this::onTold);
        bootstrap.listen(ASK_TAG, this::onAsked);
    }

    @Override
    public CompletableFuture<byte[]> ask(int rank) {
        Job known = job;
        if (known == null) {
            return CompletableFuture.failedFuture(new ProxyException(ProxyResult.INVALID_USAGE,
                    "the ranks do not know of each other yet"));
        }
        Bootstrap.requireRank(rank, bootstrap.nRanks());
        long id = asked.incrementAndGet();
        int[] ranks = witnesses(rank, known.infos);
        Question question = new Question(ranks.length);
        pending.put(id, question);
        question.answer.whenComplete((_, _) -> pending.remove(id));
        byte[] body = ByteBuffer.allocate(ASK_BYTES).putLong(id).putInt(rank).array();
        for (int each : ranks) {
            send(each, body, question);
        }
        return question.answer;
    }

    private void send(int to, byte[] body, Question question) {
        try {
            bootstrap.send(to, ASK_TAG, body);
        } catch (ProxyException e) {
            inVain(question, e.getMessage());
        }
    }

    /** The rank itself, and others of its host: not this one, which has seen what it can. */
    private int[] witnesses(int rank, IntFunction<PeerInfo> infos) {
        PeerInfo info = infos.apply(rank);
        IntStream others = IntStream.range(0, bootstrap.nRanks())
                .filter(other -> other != rank && other != bootstrap.rank() && infos.apply(other).isSameHost(info))
                .limit(MOST_OTHERS);
        return IntStream.concat(IntStream.of(rank), others).toArray();
    }

    private void inVain(Question question, String why) {
        if (question.open.decrementAndGet() == 0) {
            question.answer.completeExceptionally(new ProxyException(ProxyResult.REMOTE_ERROR, why));
        }
    }

    /** The bootstrap's thread: no message of a peer may end it. */
    private void onAsked(int from, byte[] body) {
        int rank = body.length == ASK_BYTES ? ByteBuffer.wrap(body).getInt(Long.BYTES) : -1;
        if (rank < 0 || rank >= bootstrap.nRanks()) {
            BootstrapRoot.LOG.warn("rank {} asks by {} bytes for what this host sees of rank {}", from, body.length,
                    rank);
            return;
        }
        try {
            bootstrap.send(from, TELL_TAG, message(ByteBuffer.wrap(body).getLong(), recent(rank)));
        } catch (ProxyException e) {
            BootstrapRoot.LOG.debug("rank {} is not told of rank {}: {}", from, rank, e.getMessage());
        }
    }

    private static byte[] message(long id, byte... image) {
        return ByteBuffer.allocate(Long.BYTES + image.length).putLong(id).put(image).array();
    }

    /** A thousand processes may ask for one rank, and each image takes the bootstrap's thread some milliseconds. */
    private byte[] recent(int rank) {
        long now = System.nanoTime();
        Told last = told.get(rank);
        if (last == null || now - last.timeNs > FRESH_NS) {
            told.values().removeIf(old -> now - old.timeNs > FRESH_NS);
            last = new Told(image(rank), now);
            told.put(rank, last);
        }
        return last.image;
    }

    /** Empty if it is not seen from here, or does not fit into a message. */
    private byte[] image(int rank) {
        ProxyState proxy = job.proxy;
        try {
            return Diagnosis.tellOf(proxy.config(), proxy.opsPool().getParent(), rank)
                    .filter(image -> Long.BYTES + image.length <= bootstrap.maxBlobBytes()).orElse(new byte[0]);
        } catch (ProxyException e) {
            BootstrapRoot.LOG.debug("what is seen of rank {} cannot be told: {}", rank, e.getMessage());
            return new byte[0];
        }
    }

    private void onTold(int from, byte[] body) {
        if (body.length < Long.BYTES) {
            BootstrapRoot.LOG.warn("rank {} tells {} bytes of what its host sees", from, body.length);
            return;
        }
        Optional.ofNullable(pending.get(ByteBuffer.wrap(body).getLong())).ifPresent(question -> {
            if (body.length > Long.BYTES) {
                question.answer.complete(Arrays.copyOfRange(body, Long.BYTES, body.length));
            } else {
                inVain(question, "rank " + from + " does not see it");
            }
        });
    }
}

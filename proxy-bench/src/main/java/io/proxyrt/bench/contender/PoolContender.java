/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.contender;

import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.op.OpsFetcher;
import io.proxyrt.core.op.OpsPool;
import io.proxyrt.core.op.OpsPoster;
import io.proxyrt.core.op.ProxyOp;
import io.proxyrt.core.op.ProxyOpEncoder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;

/** The runtime's own ops pool. Each op is a group of its own, so that a batch counts ops as for the others. */
public final class PoolContender implements OpsContender {
    private final Path directory;
    private final OpsPool pool;
    private final OpsFetcher fetcher;
    private final int capacity;
    private final OpsFetcher.Sink adapter = this::take;
    private OpSink sink;
    private volatile Thread sleeper;
    private volatile boolean isStopped;

    /**
     * A pool in a mapped file of its own.
     *
     * @param kind      which of {@link #kinds()}
     * @param producers how many will post
     */
    public PoolContender(String kind, int producers) {
        this.capacity = CAPACITY / producers;
        ProxyConfig config = config(kind, producers);
        try {
            this.directory = Files.createTempDirectory(Files.isDirectory(Path.of("/dev/shm")) ? Path.of("/dev/shm")
                    : Path.of(System.getProperty("java.io.tmpdir")), "proxyrt-bench-");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        this.pool = OpsPool.create(directory.resolve("ops"), 0, config);
        this.fetcher = pool.fetcher();
        pool.onWakeup(() -> LockSupport.unpark(sleeper));
    }

    /**
     * The kinds of pool that the runtime has.
     *
     * @return names of contenders, the default first
     */
    public static List<String> kinds() {
        return List.of("lanes");
    }

    private static ProxyConfig config(String kind, int producers) {
        if (!kinds().contains(kind)) {
            throw new IllegalArgumentException("no such pool: " + kind + "; there are " + kinds());
        }
        return ProxyConfig.builder().environment(Map.of()).set(CoreOptions.LANES, producers)
                .set(CoreOptions.LANE_CAPACITY, CAPACITY / producers).build();
    }

    @Override
    public Poster poster(int producer) {
        return new LanePoster(pool.poster());
    }

    private final class LanePoster implements Poster {
        private final OpsPoster poster;
        private int room;

        LanePoster(OpsPoster poster) {
            this.poster = poster;
        }

        @Override
        public int post(OpTemplate template, int count) {
            if (room < count) {
                room = capacity - (int) poster.outstanding();
            }
            int posted = Math.min(count, room);
            for (int i = 0; i < posted; i++) {
                encode(poster.append(template.sequence()), template.words());
                template.advance();
            }
            room -= posted;
            if (posted > 0) {
                poster.post();
            }
            return posted;
        }

        @Override
        public void close() {
            poster.close();
        }
    }

    @Override
    public int poll(OpSink sink) {
        this.sink = sink;
        return fetcher.fetch(adapter, LIMIT);
    }

    @Override
    public void await() {
        sleeper = Thread.currentThread();
        fetcher.waiting(true);
        if (!fetcher.hasPosted() && !isStopped) {
            LockSupport.park(this);
        }
        fetcher.waiting(false);
    }

    @Override
    public void wakeup() {
        isStopped = true;
        LockSupport.unpark(sleeper);
    }

    @Override
    public void close() {
        pool.close();
        try {
            Files.deleteIfExists(directory);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void take(int lane, ProxyOp op) {
        long[] place = sink.place();
        decode(op, place);
        fetcher.complete(lane);
        sink.take(place);
    }

    private static void encode(ProxyOpEncoder op, long[] words) {
        op.connection(words[OpTemplate.PRODUCER]).nbytes(words[OpTemplate.TIME]).root((int) words[3])
                .connIndex((int) words[3]).nsteps((int) words[4]).channelId((int) words[4]).sliceSteps((int) words[4])
                .chunkSteps((int) words[4]).chunkSize(words[5]).sliceSize(words[6]).loopSize(words[7])
                .loopOffset(words[8]).channelSize(words[OpTemplate.MIDDLE]).dtype((int) words[9])
                .redOp((int) words[9]).coll((int) words[9]).collApi((int) words[9]).pattern((int) words[9])
                .protocol((int) words[9]).algorithm((int) words[9]).reg((int) words[9]).sendMhandle(words[10])
                .recvMhandle(words[11]).sendbuff(words[13]).recvbuff(words[OpTemplate.LAST]).nChannels((int) words[14])
                .nPeers((int) words[14]).nextRank((int) words[15]).prevRank((int) words[15]).rank((int) words[16])
                .peer((int) words[16]);
    }

    private static void decode(ProxyOp op, long[] place) {
        place[OpTemplate.PRODUCER] = op.connection();
        place[OpTemplate.TIME] = op.nbytes();
        place[OpTemplate.SEQUENCE] = op.opCount();
        place[3] = op.root() ^ op.connIndex();
        place[4] = op.nsteps() ^ op.channelId() ^ op.sliceSteps() ^ op.chunkSteps();
        place[5] = op.chunkSize();
        place[6] = op.sliceSize();
        place[7] = op.loopSize();
        place[8] = op.loopOffset();
        place[OpTemplate.MIDDLE] = op.channelSize();
        place[9] = op.dtype() ^ op.redOp() ^ op.coll() ^ op.collApi() ^ op.pattern() ^ op.protocol() ^ op.algorithm()
                ^ op.reg();
        place[10] = op.sendMhandle();
        place[11] = op.recvMhandle();
        place[13] = op.sendbuff();
        place[OpTemplate.LAST] = op.recvbuff();
        place[14] = op.nChannels() ^ op.nPeers();
        place[15] = op.nextRank() ^ op.prevRank();
        place[16] = op.rank() ^ op.peer();
    }
}

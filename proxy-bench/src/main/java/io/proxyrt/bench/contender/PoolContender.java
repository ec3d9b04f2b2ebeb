/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.contender;

import io.proxyrt.bench.process.TemporaryFolder;
import io.proxyrt.core.OpsPoolKind;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.op.OpsFetcher;
import io.proxyrt.core.op.OpsPool;
import io.proxyrt.core.op.OpsPoster;
import io.proxyrt.core.op.ProxyOp;
import io.proxyrt.core.op.ProxyOpEncoder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The runtime's own ops pool. Each op is a group of its own, so that a batch counts ops as for the others. */
public final class PoolContender implements OpsContender {
    private static final Path SHARED = Path.of("/dev/shm");
    private static final long MAX_SLEEP_NS = 500_000_000;

    private final TemporaryFolder folder;
    private final OpsPool pool;
    private final OpsFetcher fetcher;
    private final OpsFetcher.Sink adapter = this::take;
    private OpSink sink;
    private volatile boolean isStopped;

    /**
     * A pool in a mapped file of its own.
     *
     * @param kind      which of {@link #kinds()}
     * @param producers how many will post
     */
    public PoolContender(String kind, int producers) {
        ProxyConfig config = config(kind, producers);
        this.folder = TemporaryFolder.in(Files.isDirectory(SHARED) ? SHARED : TemporaryFolder.TEMPORARY,
                "proxyrt-bench-");
        this.pool = OpsPool.create(folder.path().resolve("ops"), 0, config);
        this.fetcher = pool.fetcher();
    }

    /**
     * The kinds of pool that the runtime has.
     *
     * @return names of contenders, the default first
     */
    public static List<String> kinds() {
        return Arrays.stream(OpsPoolKind.values()).map(kind -> kind.name().toLowerCase(Locale.ROOT)).toList();
    }

    private static ProxyConfig config(String kind, int producers) {
        if (!kinds().contains(kind)) {
            throw new IllegalArgumentException("no such pool: " + kind + "; there are " + kinds());
        }
        return ProxyConfig.builder().environment(Map.of())
                .set(CoreOptions.OPS_POOL, OpsPoolKind.valueOf(kind.toUpperCase(Locale.ROOT)))
                .set(CoreOptions.LANES, producers)
                .set(CoreOptions.LANE_CAPACITY, PER_POSTER).build();
    }

    @Override
    public Poster poster(int producer) {
        return new LanePoster(pool.poster());
    }

    private static final class LanePoster implements Poster {
        private final OpsPoster poster;
        private final ProxyOpEncoder op = new ProxyOpEncoder().nsteps(1);
        private int room;

        LanePoster(OpsPoster poster) {
            this.poster = poster;
        }

        @Override
        public int post(OpTemplate template, int count) {
            if (room == 0 && !hasRoom()) {
                return 0;
            }
            int posted = Math.min(count, room);
            for (int i = 0; i < posted; i++) {
                poster.append(template.sequence(), encode(template));
                template.advance();
            }
            room -= posted;
            if (posted > 0) {
                poster.post();
            }
            return posted;
        }

        /** As a poster waits that finds its lane full: for a quarter of it. */
        private boolean hasRoom() {
            int free = PER_POSTER - (int) poster.outstanding();
            room = free >= PER_POSTER / 4 ? free : 0;
            return room > 0;
        }

        @Override
        public void close() {
            poster.close();
        }

        /** Sets what differs from op to op, in fields that stand where the harness has its words. */
        private ProxyOpEncoder encode(OpTemplate template) {
            long[] words = template.words();
            return op.connection(words[OpTemplate.PRODUCER]).nbytes(words[OpTemplate.TIME])
                    .loopSize(words[OpTemplate.MIDDLE]).recvbuff(words[OpTemplate.LAST]);
        }
    }

    @Override
    public int poll(OpSink sink) {
        this.sink = sink;
        return fetcher.fetch(adapter, LIMIT);
    }

    @Override
    public void await() {
        await(MAX_SLEEP_NS);
    }

    @Override
    public void await(long maxNs) {
        if (fetcher.arm()) {
            if (!fetcher.hasPosted() && !isStopped) {
                fetcher.sleep(maxNs);
            }
            fetcher.disarm();
        }
    }

    @Override
    public void wakeup() {
        isStopped = true;
        pool.wakeup();
    }

    @Override
    public void close() {
        pool.close();
        folder.close();
    }

    /** The op was copied out by the fetch. */
    private void take(ProxyOp op) {
        long middle = op.loopSize();
        long last = op.recvbuff();
        int producer = (int) op.connection();
        long sequence = op.opCount();
        long time = op.nbytes();
        fetcher.complete(op.ticket());
        sink.take(producer, sequence, time, middle == last ? last : 0);
    }
}

/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.contender;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class ContenderBenchTest {
    private static final int OPS = 10_000;
    private static final int BATCH = 16;

    static Stream<String> forOne() {
        return Contenders.names(1).stream();
    }

    static Stream<String> forTwo() {
        return Contenders.names(2).stream();
    }

    @ParameterizedTest
    @MethodSource("forOne")
    void shouldDeliverEveryOpOnceInOrder(String name) throws Exception {
        assertEquals(OPS, delivered(name, 1, 1, false));
    }

    @ParameterizedTest
    @MethodSource("forTwo")
    void shouldDeliverBatchesOfTwoProducersOnceInOrder(String name) throws Exception {
        assertEquals(2 * OPS, delivered(name, 2, BATCH, false));
    }

    @ParameterizedTest
    @MethodSource("forOne")
    void shouldWakeAConsumerThatParks(String name) throws Exception {
        assertEquals(OPS, delivered(name, 1, 1, true));
    }

    @ParameterizedTest
    @MethodSource("forOne")
    void shouldTakeNoMoreThanItsCapacityAndGoOnAfterwards(String name) throws Exception {
        OpTemplate template = new OpTemplate(0);
        OpSink sink = new OpSink(1, null);
        try (OpsContender contender = Contenders.make(name, 1, false);
                OpsContender.Poster poster = contender.poster(0)) {
            long posted = fill(poster, template);
            // Agrona's ring has a power of two of bytes, so it holds more.
            assertEquals(name.equals("agrona") ? 3855 : OpsContender.PER_POSTER, posted);
            drain(contender, sink, posted);
            assertEquals(posted, fill(poster, template));
            drain(contender, sink, 2 * posted);
        }
    }

    @ParameterizedTest
    @MethodSource("forOne")
    void shouldEndAnAwaitForGood(String name) throws Exception {
        try (OpsContender contender = Contenders.make(name, 1, true)) {
            contender.wakeup();
            contender.await();
        }
    }

    @ParameterizedTest
    @MethodSource("forOne")
    void shouldNoticeAnOpThatIsLost(String name) throws Exception {
        OpTemplate template = new OpTemplate(0);
        try (OpsContender contender = Contenders.make(name, 1, false);
                OpsContender.Poster poster = contender.poster(0)) {
            template.advance();
            poster.post(template, 1);
            assertThrows(RuntimeException.class, () -> contender.poll(new OpSink(1, null)));
        }
    }

    private static long fill(OpsContender.Poster poster, OpTemplate template) {
        long before = template.sequence();
        while (poster.post(template, 1) == 1) {
            Thread.onSpinWait();
        }
        return template.sequence() - before;
    }

    private static void drain(OpsContender contender, OpSink sink, long until) {
        while (sink.ops() < until) {
            contender.poll(sink);
        }
    }

    /** Posts from threads, consumes here; the sink throws on any op out of order. */
    private static long delivered(String name, int producers, int batch, boolean parks) throws Exception {
        OpSink sink = new OpSink(producers, null);
        List<Thread> threads = new ArrayList<>();
        try (OpsContender contender = Contenders.make(name, producers, parks)) {
            for (int i = 0; i < producers; i++) {
                int producer = i;
                threads.add(Thread.ofPlatform().daemon().start(() -> post(contender, producer, batch)));
            }
            while (sink.ops() < (long) producers * OPS) {
                if (contender.poll(sink) == 0) {
                    await(contender, parks);
                }
            }
            for (Thread thread : threads) {
                thread.join();
            }
            assertEquals(0, contender.poll(sink));
        }
        return sink.ops();
    }

    private static void await(OpsContender contender, boolean parks) {
        if (parks) {
            contender.await();
        } else {
            Thread.yield();
        }
    }

    private static void post(OpsContender contender, int producer, int batch) {
        OpTemplate template = new OpTemplate(producer);
        try (OpsContender.Poster poster = contender.poster(producer)) {
            while (template.sequence() < OPS) {
                if (poster.post(template, (int) Math.min(batch, OPS - template.sequence())) == 0) {
                    Thread.yield();
                }
            }
        }
    }
}

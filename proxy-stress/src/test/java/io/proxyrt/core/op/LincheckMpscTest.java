/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.op;

import io.proxyrt.core.OpsPoolKind;
import io.proxyrt.testkit.Extent;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.atomic.AtomicInteger;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.StressOptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Two posters and the consumer of an MPSC pool, on a thread each: what they do can be put in the order of one queue.
 * With a single-producer queue in its place this fails at once. Stress mode only: Lincheck's model checker runs on JDK
 * 25, but it did not find that fault, so its silence would prove nothing here. A fetch may find nothing after a whole
 * post while another poster is in the middle of one, which rings the doorbell when done. So a fetch that finds nothing
 * counts only if no post was under way meanwhile.
 */
@Tag(Extent.SCALED)
public class LincheckMpscTest {
    private static final int ITERATIONS = Extent.count(20);
    private static final int NOTHING = -2;
    private static final int FIRST = 10;
    private static final int SECOND = 20;
    private static final StressPools POOLS = new StressPools(OpsPoolKind.MPSC, 2, 4);

    private final OpsPoster first;
    private final OpsPoster second;
    private final OpsFetcher fetcher;
    private final AtomicInteger begun = new AtomicInteger();
    private final AtomicInteger done = new AtomicInteger();
    private int firstNumber = FIRST;
    private int secondNumber = SECOND;
    private int fetched;

    public LincheckMpscTest() {
        OpsPool pool = POOLS.next();
        first = pool.poster();
        second = pool.poster();
        fetcher = pool.fetcher();
    }

    @Operation(nonParallelGroup = "first")
    public void postFirst() {
        post(first, ++firstNumber);
    }

    @Operation(nonParallelGroup = "second")
    public void postSecond() {
        post(second, ++secondNumber);
    }

    private void post(OpsPoster poster, int number) {
        begun.getAndIncrement();
        MarkedOp.append(poster, number);
        poster.post();
        done.getAndIncrement();
    }

    @Operation(nonParallelGroup = "consumer")
    public int fetch() {
        while (true) {
            int before = done.get();
            fetched = NOTHING;
            fetcher.fetch(this::take, 1);
            if (fetched != NOTHING || begun.get() == before) {
                return fetched;
            }
            Thread.yield();
        }
    }

    private void take(ProxyOp op) {
        fetched = MarkedOp.number(op);
        fetcher.complete(op.ticket());
    }

    @Test
    void shouldBeAQueueUnderStress() {
        new StressOptions().threads(3).actorsPerThread(2).actorsBefore(0).actorsAfter(2).iterations(ITERATIONS)
                .invocationsPerIteration(1000).sequentialSpecification(Spec.class).check(LincheckMpscTest.class);
    }

    /** What it should look like to all three. */
    public static class Spec {
        private final Queue<Integer> queue = new ArrayDeque<>();
        private int firstNumber = FIRST;
        private int secondNumber = SECOND;

        public void postFirst() {
            queue.add(++firstNumber);
        }

        public void postSecond() {
            queue.add(++secondNumber);
        }

        public int fetch() {
            return queue.isEmpty() ? NOTHING : queue.remove();
        }
    }
}

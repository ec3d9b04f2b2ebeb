/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.op;

import java.util.ArrayDeque;
import java.util.Queue;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.StressOptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Two posters and the consumer of an MPSC pool, as one queue. */
public class LincheckMpscTest {
    private static final StressPools POOLS = new StressPools(OpsPoolKind.MPSC, 2, 4);

    private final OpsPool pool = POOLS.next();
    private final OpsPoster first = pool.poster();
    private final OpsPoster second = pool.poster();
    private final OpsFetcher fetcher = pool.fetcher();
    private int firstPosts;
    private int secondPosts;
    private int fetched;

    @Operation(nonParallelGroup = "first")
    public void postFirst(int number) {
        post(first, ++firstPosts, number);
    }

    @Operation(nonParallelGroup = "second")
    public void postSecond(int number) {
        post(second, ++secondPosts, number);
    }

    @Operation(nonParallelGroup = "consumer")
    public int fetch() {
        fetched = 0;
        fetcher.fetch(this::take, 1);
        return fetched;
    }

    private void take(ProxyOp op) {
        fetched = op.peer();
        fetcher.complete(op.ticket());
    }

    private static void post(OpsPoster poster, int opCount, int number) {
        poster.append(opCount).peer(number);
        poster.post();
    }

    @Test
    @Timeout(600)
    void shouldBeAQueueUnderStress() {
        new StressOptions().threads(3).actorsPerThread(2).actorsBefore(0).actorsAfter(2).iterations(5)
                .invocationsPerIteration(500).sequentialSpecification(Spec.class).check(LincheckMpscTest.class);
    }

    @Test
    @Timeout(600)
    void shouldBeAQueueInAllInterleavings() {
        new ModelCheckingOptions().threads(3).actorsPerThread(2).actorsBefore(0).actorsAfter(2).iterations(5)
                .invocationsPerIteration(500).sequentialSpecification(Spec.class).check(LincheckMpscTest.class);
    }

    /** What it should look like to all three. */
    public static class Spec {
        private final Queue<Integer> queue = new ArrayDeque<>();

        public void postFirst(int number) {
            queue.add(number);
        }

        public void postSecond(int number) {
            queue.add(number);
        }

        public int fetch() {
            Integer number = queue.poll();
            return number == null ? 0 : number;
        }
    }
}

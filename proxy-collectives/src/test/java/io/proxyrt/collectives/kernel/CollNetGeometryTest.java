/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives.kernel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.CollFunction;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class CollNetGeometryTest {
    private static final int ROUNDS = 300;
    private static final long STEP_BYTES = 1024;

    @ParameterizedTest
    @EnumSource(names = {"ALL_REDUCE", "ALL_GATHER", "REDUCE_SCATTER"})
    void shouldCarryEveryByteOnce(CollFunction function) {
        Random random = new Random(23);
        for (int round = 0; round < ROUNDS; round++) {
            CollNetShape shape = shape(random, function);
            long bytes = 1 + random.nextInt(9000);
            CollNetGeometry geometry = new CollNetGeometry(shape).compute(function, bytes, STEP_BYTES);
            int[] seen = new int[Math.toIntExact(function == CollFunction.ALL_REDUCE ? bytes : bytes
                    * shape.nRanks())];
            for (int head = 0; head < shape.heads(); head++) {
                for (int channel = 0; channel < shape.channels(); channel++) {
                    if (!shape.isChain() || channel % shape.heads() == head) {
                        carry(geometry, head, channel, seen);
                    }
                }
            }
            assertTrue(Arrays.stream(seen).allMatch(times -> times == 1), () -> shape + " " + bytes);
        }
    }

    private static void carry(CollNetGeometry geometry, int head, int channel, int[] seen) {
        for (int step = 0; step < geometry.nsteps(head); step++) {
            long end = geometry.end(channel, head, step);
            assertTrue(end - geometry.begin(channel, head, step) <= geometry.chunkBytes());
            for (long at = geometry.begin(channel, head, step); at < end; ) {
                long length = geometry.together(head, at, end);
                for (long i = 0; i < length; i++) {
                    seen[Math.toIntExact(geometry.userOffset(head, at) + i)]++;
                }
                at += length;
            }
        }
    }

    @Test
    void shouldFillAStepOfAllChannelsFromTheFirstOn() {
        Random random = new Random(29);
        for (int round = 0; round < ROUNDS; round++) {
            CollNetShape shape = shape(random, CollFunction.ALL_REDUCE);
            CollNetGeometry geometry = new CollNetGeometry(shape).compute(CollFunction.ALL_REDUCE,
                    1 + random.nextInt(100_000), STEP_BYTES);
            for (int head = 0; head < shape.heads(); head++) {
                for (int step = 0; step < geometry.nsteps(head); step++) {
                    requireShortOnlyAtTheEnd(shape, geometry, head, step);
                }
            }
        }
    }

    private static void requireShortOnlyAtTheEnd(CollNetShape shape, CollNetGeometry geometry, int head, int step) {
        long before = geometry.chunkBytes();
        for (int channel = 0; channel < shape.channels(); channel++) {
            if (!shape.isChain() || channel % shape.heads() == head) {
                long length = geometry.end(channel, head, step) - geometry.begin(channel, head, step);
                assertTrue(before == geometry.chunkBytes() || length == 0, shape::toString);
                before = length;
            }
        }
    }

    @Test
    void shouldHaveAHeadServeTheRanksUpToTheNextHead() {
        for (int locals = 1; locals <= 9; locals++) {
            for (int heads = 1; heads <= locals; heads++) {
                CollNetShape shape = new CollNetShape(2 * locals, 2, 0, locals, 0, heads, 1, false);
                int served = 0;
                for (int head = 0; head < heads; head++) {
                    for (int local = 0; local < locals; local++) {
                        served += shape.serves(head, local) ? 1 : 0;
                    }
                    assertTrue(shape.serves(head, shape.headLocal(head)));
                }
                assertEquals(locals, served);
            }
        }
    }

    private static CollNetShape shape(Random random, CollFunction function) {
        int locals = 1 + random.nextInt(5);
        int nodes = 1 + random.nextInt(4);
        return new CollNetShape(nodes * locals, nodes, random.nextInt(nodes), locals, random.nextInt(locals),
                1 + random.nextInt(locals), 1 + random.nextInt(4), function == CollFunction.ALL_REDUCE
                && random.nextBoolean());
    }
}

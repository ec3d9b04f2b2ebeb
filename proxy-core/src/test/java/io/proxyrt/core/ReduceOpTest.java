/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ReduceOpTest {
    /** Ranks compare codes, and tables have a place for each. */
    @Test
    void shouldHaveACodeEach() {
        List<ReduceOp> ops = new ArrayList<>(List.of(RedOp.values()));
        ops.add(PreMulSum.of(DataType.INT32, 2));
        ops.add(UserRedOp.of("or", (in, inout, count, type) -> { }));
        assertEquals(IntStream.range(0, ReduceOp.CODES).boxed().toList(), ops.stream().map(ReduceOp::code).toList());
    }

    @Test
    void shouldBeASumToNetworksUnlessTheyKnowIt() {
        assertEquals(RedOp.SUM, PreMulSum.of(DataType.INT32, 2).proxied());
        assertEquals(RedOp.SUM, UserRedOp.of("or", (in, inout, count, type) -> { }).proxied());
        for (RedOp op : RedOp.values()) {
            assertEquals(op, op.proxied());
        }
    }
}

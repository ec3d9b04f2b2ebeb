/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.contender;

/**
 * The ops of a producer whose queue carries references: reused in turn, one more than the queue and a poll can hold, so
 * that an op's turn comes only after it was copied out.
 */
final class OwnOps {
    private final Op[] ops;
    private int turn;

    /** For a queue that holds so many. */
    OwnOps(int capacity) {
        ops = new Op[capacity + OpsContender.LIMIT + 1];
        for (int i = 0; i < ops.length; i++) {
            ops[i] = new Op();
        }
    }

    /** Fills the op whose turn it is, and goes on to the next. */
    Op next(OpTemplate template) {
        Op op = peek(template);
        advance(template);
        return op;
    }

    /** Fills the op whose turn it is; it stays its turn until {@link #advance}. */
    Op peek(OpTemplate template) {
        Op op = ops[turn];
        System.arraycopy(template.words(), 0, op.words, 0, OpTemplate.WORDS);
        return op;
    }

    void advance(OpTemplate template) {
        template.advance();
        turn = turn + 1 < ops.length ? turn + 1 : 0;
    }
}

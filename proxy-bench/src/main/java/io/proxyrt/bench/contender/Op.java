/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.contender;

/** An op on the heap, for contenders that carry references or links. */
final class Op {
    final long[] words = new long[OpTemplate.WORDS];
    int next = -1;

    void set(OpTemplate template) {
        System.arraycopy(template.words(), 0, words, 0, OpTemplate.WORDS);
        template.advance();
    }

    void copyTo(OpSink sink) {
        long[] place = sink.place();
        System.arraycopy(words, 0, place, 0, OpTemplate.WORDS);
        sink.take(place);
    }
}

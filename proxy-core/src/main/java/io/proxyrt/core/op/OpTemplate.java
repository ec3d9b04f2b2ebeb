/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.op;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.function.Consumer;

/**
 * A prepared op that is posted many times, each time with another opCount, as RCCL's plans do with theirs. Immutable
 * once built; any thread may use it.
 */
public final class OpTemplate {
    /** Size of an op. */
    public static final long BYTES = ProxyOpDescriptor.BYTES;

    private final long[] words = new long[(int) (BYTES / Long.BYTES)];

    /**
     * A template.
     *
     * @param fields sets them; all others are 0
     */
    public OpTemplate(Consumer<ProxyOpEncoder> fields) {
        MemorySegment memory = MemorySegment.ofArray(words);
        fields.accept(new ProxyOpEncoder().wrap(memory, 0));
    }

    void copyTo(MemorySegment target, long offset) {
        for (int i = 0; i < words.length; i++) {
            target.set(ValueLayout.JAVA_LONG, offset + (long) i * Long.BYTES, words[i]);
        }
    }
}

/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives.kernel;

import io.proxyrt.core.diagnosis.CallWords;

/** Communicators note their calls by {@link OpWord}. */
public final class OpCallWords implements CallWords {
    /** Keeps nothing. */
    public OpCallWords() {
    }

    @Override
    public String describe(long word, long bytes) {
        return OpWord.describe(word, bytes);
    }

    @Override
    public String difference(long word, long bytes, long otherWord, long otherBytes) {
        return OpWord.difference(word, bytes, otherWord, otherBytes);
    }
}

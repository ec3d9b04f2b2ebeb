/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.failure;

import io.proxyrt.core.ProxyException;

/** A rank that does the same work with its peers again and again, until it is to do something else. */
interface FaultRank extends AutoCloseable {
    /** What a rank does instead of its work. */
    enum Misdeed { NONE, THROW, EXHAUST, NEVER, OTHER, SIZE }

    /**
     * Does one round.
     *
     * @throws ProxyException what a user of the library sees
     */
    void round(Misdeed misdeed);

    /** What is known of what this rank waits for. */
    String dump();

    @Override
    void close();
}

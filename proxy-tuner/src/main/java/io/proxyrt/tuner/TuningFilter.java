/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.tuner;

import io.proxyrt.core.Protocol;
import java.util.Optional;
import java.util.Set;

/**
 * What the user allows for a function: what {@code NCCL_ALGO} and {@code NCCL_PROTO} say.
 *
 * @param algorithms allowed; empty if the user has not said
 * @param protocols  allowed; empty if the user has not said. If they are named, LL128 is used also on hardware that has
 *                   it off by default, and RCCL's rules by size are left out
 */
public record TuningFilter(Optional<Set<NcclAlgorithm>> algorithms, Optional<Set<Protocol>> protocols) {
    /** The user has not said anything. */
    public static final TuningFilter NONE = new TuningFilter(Optional.empty(), Optional.empty());

    /** Copies what is allowed. */
    public TuningFilter {
        algorithms = algorithms.map(Set::copyOf);
        protocols = protocols.map(Set::copyOf);
    }

    /**
     * Whether a way is allowed.
     *
     * @param way any
     * @return true for all if the user has not said
     */
    public boolean admits(Way way) {
        return algorithms.map(allowed -> allowed.contains(way.algorithm())).orElse(true)
                && protocols.map(allowed -> allowed.contains(way.protocol())).orElse(true);
    }

    /**
     * Whether the user has named a protocol.
     *
     * @param protocol any
     * @return false if the user has not said
     */
    public boolean isAskedFor(Protocol protocol) {
        return protocols.map(allowed -> allowed.contains(protocol)).orElse(false);
    }

    @Override
    public String toString() {
        return algorithms.map(allowed -> "algorithms " + allowed).orElse("any algorithm") + ", "
                + protocols.map(allowed -> "protocols " + allowed).orElse("any protocol");
    }
}

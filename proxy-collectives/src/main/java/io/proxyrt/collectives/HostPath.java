/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import java.util.Arrays;

/** What all rings of ranks with kernels of the host go by, which is by what they choose. */
enum HostPath {
    /** Memory that the kernels of both ranks reach: no proxy moves anything. */
    SHM,
    /** A network. */
    NET,
    /** Some by the one, some by the other. */
    MIXED;

    static HostPath of(Ring[] rings) {
        return Arrays.stream(rings).allMatch(Ring::isDirect) ? SHM
                : Arrays.stream(rings).allMatch(HostPath::isNet) ? NET : MIXED;
    }

    private static boolean isNet(Ring ring) {
        return ring.recv().connector().transport().equals(NET.name())
                && ring.send().connector().transport().equals(NET.name());
    }

    /** What they all go by, as bytes that ranks told. */
    static HostPath ofAll(byte[][] told) {
        return Arrays.stream(values()).filter(path -> Arrays.stream(told).allMatch(one -> one.length == 1
                && one[0] == path.ordinal())).findFirst().orElse(MIXED);
    }
}

/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import io.proxyrt.bootstrap.RankGroup;
import io.proxyrt.collectives.kernel.CollNetKernel;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import java.nio.charset.StandardCharsets;

/**
 * By which ranks tell each other that a network is gone which carried out collectives. It is there before any rank can
 * launch one.
 */
final class NetworkLoss {
    /** No tag of connect infos, nor that of what ranks are asked for. */
    private static final int TAG = -2;

    private final RankGroup group;
    /** What is under way, and what another rank said: one of the two threads that store one of them sees both. */
    private volatile CollNetKernel current;
    private volatile ProxyException heard;

    NetworkLoss(RankGroup group) {
        this.group = group;
        group.listen(TAG, this::hear);
    }

    /** The bootstrap's thread. */
    private void hear(int peer, byte[] reason) {
        heard = new ProxyException(ProxyResult.REMOTE_ERROR, new String(reason, StandardCharsets.UTF_8));
        CollNetKernel kernel = current;
        if (kernel != null) {
            kernel.giveUp(heard);
        }
    }

    /** A kernel is about to be launched, which gives up if another rank has said so. */
    void watch(CollNetKernel kernel) {
        current = kernel;
        if (heard != null) {
            kernel.giveUp(heard);
        }
    }

    /** None is under way. */
    void unwatch() {
        current = null;
    }

    /** What another rank said; null if none did. */
    ProxyException heard() {
        return heard;
    }

    /** Has all other ranks' kernels give up. */
    void tell(String reason) {
        for (int peer = 0; peer < group.nRanks(); peer++) {
            if (peer != group.rank()) {
                group.send(peer, TAG, reason.getBytes(StandardCharsets.UTF_8));
            }
        }
    }
}

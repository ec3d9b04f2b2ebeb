/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import io.proxyrt.core.device.DeviceCapability;
import io.proxyrt.core.progress.PeerInfo;
import java.util.List;
import java.util.stream.Collectors;

/** What to know of ranks that share a GPU. */
final class SharedGpu {
    private SharedGpu() {
    }

    /**
     * Says why operations take as long as they do where processes take turns on a GPU.
     *
     * @param ranks all of them
     * @param rank  this one
     * @return for people; empty unless this is the first of the ranks on a GPU that other processes use too, which runs
     *         one process at a time
     */
    static String warning(List<PeerInfo> ranks, int rank) {
        PeerInfo self = ranks.get(rank);
        List<PeerInfo> sharing = ranks.stream().filter(self::isSameDevice).toList();
        String others = sharing.stream().filter(other -> !self.isSameProcess(other))
                .map(other -> Integer.toString(other.rank())).collect(Collectors.joining(" "));
        if (others.isEmpty() || sharing.getFirst().rank() != rank
                || self.device().has(DeviceCapability.CONCURRENT_PROCESSES)) {
            return "";
        }
        return "rank " + rank + ": other processes use " + self.device().name() + " too, those of ranks " + others
                + "; it runs one process at a time, so that an operation, whose kernels wait for each other, takes time"
                + " slices of some milliseconds. Start MPS before the ranks (nvidia-cuda-mps-control -d), or have them"
                + " in one process (perf --in-process)";
    }
}

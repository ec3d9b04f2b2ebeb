/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import io.proxyrt.bootstrap.RankGroup;
import io.proxyrt.collectives.msccl.AlgorithmFiles;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.Option;
import io.proxyrt.core.config.ProxyConfig;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The options by which ranks cut their work. Ranks that differ in one would wait for each other for ever, or take each
 * other's bytes for something else, so they compare them before anything else. What each host measures differs, so rank
 * 0's profile is all ranks'.
 */
final class AgreedSettings {
    static final List<Option<?>> OPTIONS = List.of(CollectivesOptions.CHANNELS, CollectivesOptions.MIN_CHANNELS,
            CollectivesOptions.MAX_CHANNELS, CollectivesOptions.ALGORITHM,
            CollectivesOptions.COLLNET_ENABLE, CollectivesOptions.COLLNET_NODE_THRESHOLD,
            CollectivesOptions.COLLNET_BYTES, CollectivesOptions.COLLNET_REDO, CollectivesOptions.PROTOCOL,
            CollectivesOptions.LL_BYTES, CollectivesOptions.LL128_BYTES, CollectivesOptions.DIRECT_LL_BYTES,
            CollectivesOptions.DIRECT_DOUBLING_BYTES, CollectivesOptions.DOUBLING_BYTES, CollectivesOptions.TREE_BYTES,
            CollectivesOptions.HIERARCHICAL_BYTES, CollectivesOptions.PAT_BYTES,
            CollectivesOptions.WHOLE_CHUNK_BYTES, CollectivesOptions.GATHER_BYTES, CollectivesOptions.FUSE_BYTES,
            CollectivesOptions.GPU_NET_LL_BYTES, CollectivesOptions.GPU_SHM_LL_BYTES,
            CollectivesOptions.GPU_P2P_LL_BYTES, CollectivesOptions.GPU_MESSAGE_LL_BYTES,
            CollectivesOptions.GPU_NVLINK_LL128_BYTES, CollectivesOptions.GPU_ONE_SHOT_BYTES,
            CoreOptions.BUFFER_BYTES, CoreOptions.LL_BUFFER_BYTES, CoreOptions.LL128_BUFFER_BYTES);
    /** Those of transports that may be absent: by them a message falls into steps. */
    private static final Set<String> OF_TRANSPORTS = Set.of("proxyrt.net.shared.buffers",
            "proxyrt.net.p2p.chunk.bytes");

    /** Behind settings. */
    private static final char END = '\0';

    private AgreedSettings() {
    }

    /**
     * Reads what files this rank's options name, and blocks until all ranks have told theirs. Returns by what all
     * choose: rank 0's profile, and the files that all have.
     */
    static JobTuning agree(RankGroup group, ProxyConfig config, boolean isOnGpu, Duration timeout) {
        AlgorithmFiles files = isOnGpu ? AlgorithmFiles.NONE : AlgorithmFiles.read(
                config.get(CollectivesOptions.MSCCL_FILES), config.get(CollectivesOptions.MSCCL_FOLDER));
        String first = "kernels=" + (isOnGpu ? "of a GPU" : "of the host") + "\nMSCCL files=" + files.digest() + "\n";
        String mine = first + Stream.concat(OPTIONS.stream().map(option -> option + "=" + config.get(option)),
                config.settings().stream().filter(setting -> OF_TRANSPORTS.contains(setting.option().toString()))
                        .map(setting -> setting.option() + "=" + setting.value())).collect(Collectors.joining("\n"));
        String profile = group.rank() != 0 || isOnGpu ? "" : TuningText.of(TuningSource.of(config), false);
        byte[][] all = group.allGather((mine + END + profile).getBytes(StandardCharsets.UTF_8), timeout);
        for (int rank = 0; rank < all.length; rank++) {
            String theirs = settings(all[rank]);
            if (!theirs.equals(mine)) {
                throw new ProxyException(ProxyResult.INVALID_USAGE, "rank " + group.rank() + " and rank " + rank
                        + " have different settings, which have to be equal: " + difference(mine, theirs));
            }
        }
        return isOnGpu ? JobTuning.NONE : new JobTuning(profile(new String(all[0], StandardCharsets.UTF_8)), files);
    }

    private static String settings(byte[] told) {
        String text = new String(told, StandardCharsets.UTF_8);
        int end = text.indexOf(END);
        return end < 0 ? text : text.substring(0, end);
    }

    private static TuningProfile profile(String told) {
        try {
            return TuningText.parse("the tuning profile of rank 0", told.substring(told.indexOf(END) + 1));
        } catch (ProxyException e) {
            throw new ProxyException(ProxyResult.REMOTE_ERROR, e.getMessage(), e);
        }
    }

    private static String difference(String mine, String theirs) {
        List<String> here = mine.lines().toList();
        List<String> there = theirs.lines().toList();
        for (int i = 0; i < here.size() && i < there.size(); i++) {
            if (!here.get(i).equals(there.get(i))) {
                return here.get(i) + " here, " + there.get(i) + " there";
            }
        }
        return "one of them has others: are they of the same version?";
    }
}

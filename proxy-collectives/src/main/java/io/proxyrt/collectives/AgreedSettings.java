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
import io.proxyrt.core.device.DeviceConnection;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.Arrays;
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
            CollectivesOptions.GPU_TWO_SHOT_BYTES, CollectivesOptions.GPU_TREE_BYTES,
            CoreOptions.BUFFER_BYTES, CoreOptions.LL_BUFFER_BYTES, CoreOptions.LL128_BUFFER_BYTES);
    /** Those of transports that may be absent: by them a message falls into steps. */
    private static final Set<String> OF_TRANSPORTS = Set.of("proxyrt.net.shared.buffers",
            "proxyrt.net.p2p.chunk.bytes");

    private static final int DIGEST_BYTES = 32;

    private AgreedSettings() {
    }

    /**
     * Reads what files this rank's options name, and blocks until all ranks have told theirs. Returns by what all
     * choose: rank 0's profile, and the files that all have.
     */
    static JobTuning agree(RankGroup group, ProxyConfig config, boolean isOnGpu, Duration timeout) {
        AlgorithmFiles files = isOnGpu ? AlgorithmFiles.NONE : files(config, group.nRanks());
        String first = "kernels=" + (isOnGpu ? "of a GPU" : "of the host") + "\nMSCCL files=" + files.digest() + "\n";
        String mine = first + Stream.concat(OPTIONS.stream().map(option -> option + "=" + config.get(option)),
                config.settings().stream().filter(setting -> OF_TRANSPORTS.contains(setting.option().toString()))
                        .map(setting -> setting.option() + "=" + setting.value())).collect(Collectors.joining("\n"));
        String profile = group.rank() != 0 || isOnGpu ? "" : TuningText.of(TuningSource.of(config), false);
        byte[] digest = digest(mine);
        byte[] ofProfile = profile.getBytes(StandardCharsets.UTF_8);
        byte[][] all = group.allGather(ByteBuffer.allocate(DIGEST_BYTES + ofProfile.length).put(digest).put(ofProfile)
                .array(), timeout);
        if (!Arrays.stream(all).allMatch(told -> isOf(digest, told))) {
            throw different(group, digest, mine, all, timeout);
        }
        return isOnGpu ? JobTuning.NONE : new JobTuning(profile(new String(all[0], DIGEST_BYTES,
                all[0].length - DIGEST_BYTES, StandardCharsets.UTF_8)), files);
    }

    private static AlgorithmFiles files(ProxyConfig config, int nRanks) {
        return AlgorithmFiles.read(new AlgorithmFiles.Places(config.get(CollectivesOptions.MSCCL_FILES),
                config.get(CollectivesOptions.MSCCL_FOLDER), config.get(CollectivesOptions.MSCCLPP_FOLDER)), nRanks,
                new AlgorithmFiles.Limits(config.get(CoreOptions.BUFFER_BYTES) / DeviceConnection.STEPS,
                        config.get(CoreOptions.LANE_CAPACITY)));
    }

    /** Many ranks need not read a page of each other to see that it is the same. */
    private static byte[] digest(String settings) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(settings.getBytes(StandardCharsets.UTF_8));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }

    private static boolean isOf(byte[] digest, byte... told) {
        return told.length >= DIGEST_BYTES
                && Arrays.equals(digest, 0, DIGEST_BYTES, told, 0, DIGEST_BYTES);
    }

    /** All ranks see that one differs from another, and so all tell what they have. */
    private static ProxyException different(RankGroup group, byte[] digest, String mine, byte[][] all,
            Duration timeout) {
        byte[][] texts = group.allGather(mine.getBytes(StandardCharsets.UTF_8), timeout);
        int rank = 0;
        while (isOf(digest, all[rank])) {
            rank++;
        }
        return new ProxyException(ProxyResult.INVALID_USAGE, "rank " + group.rank() + " and rank " + rank
                + " have different settings, which have to be equal: "
                + difference(mine, new String(texts[rank], StandardCharsets.UTF_8)));
    }

    private static TuningProfile profile(String told) {
        try {
            return TuningText.parse("the tuning profile of rank 0", told);
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

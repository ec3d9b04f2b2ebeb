/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.op;

import io.proxyrt.core.FullPolicy;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.ProxyConfig;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * A process that posts to another one's pool: batches of {@link #BATCH} ops, until it is killed or has posted enough.
 */
final class ChildPoster {
    static final int BATCH = 5;

    private ChildPoster() {
    }

    /** The ops of a batch have its number for opCount, the poster's id for root, and count up in nbytes. */
    public static void main(String[] args) {
        ProxyConfig config = ProxyConfig.builder().environment(Map.of())
                .set(CoreOptions.FULL_POLICY, FullPolicy.valueOf(args[3])).build();
        long batches = Long.parseLong(args[2]);
        try (OpsPoolClient client = OpsPoolClient.open(Path.of(args[0]), config);
                OpsPoster poster = client.poster()) {
            for (long batch = 0; batch < batches; batch++) {
                for (int i = 0; i < BATCH; i++) {
                    poster.append(batch).root(Integer.parseInt(args[1])).nbytes(batch * BATCH + i).peer(7).channelId(3);
                }
                poster.post();
            }
        }
    }

    /** Starts one on this JVM's class path. */
    static Process start(Path pool, int id, long batches, FullPolicy policy) throws IOException {
        List<String> command = new ArrayList<>(List.of(ProcessHandle.current().info().command().orElseThrow(),
                "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xshare:auto", "-Xmx64m", "-XX:-UsePerfData", "-cp",
                System.getProperty("java.class.path") + ":" + System.getProperty("jdk.module.path", ""),
                ChildPoster.class.getName(), pool.toString(), Integer.toString(id), Long.toString(batches),
                policy.name()));
        return new ProcessBuilder(command).redirectErrorStream(true).inheritIO().start();
    }
}

/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.op;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.proxyrt.core.OpsPoolKind;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.ProxyConfig;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MpscFetcherTest {
    @TempDir
    Path directory;

    @Test
    void shouldFetchTheRestOfABatchWhosePostingIsUsedAgain() {
        ProxyConfig config = ProxyConfig.builder().set(CoreOptions.OPS_POOL, OpsPoolKind.MPSC)
                .set(CoreOptions.LANE_CAPACITY, 2).build();
        List<Long> opCounts = new ArrayList<>();
        try (OpsPool pool = OpsPool.create(directory.resolve("ops"), 0, config);
                OpsPoster poster = pool.poster()) {
            OpsFetcher fetcher = pool.fetcher();
            OpsFetcher.Sink sink = op -> {
                opCounts.add(op.opCount());
                fetcher.complete(op.ticket());
            };
            poster.append(1);
            poster.append(2);
            poster.post();
            fetcher.fetch(sink, 1);
            poster.append(3);
            poster.post();
            fetcher.fetch(sink, 4);
            assertEquals(List.of(1L, 2L, 3L), opCounts);
            pool.audit();
        }
    }
}

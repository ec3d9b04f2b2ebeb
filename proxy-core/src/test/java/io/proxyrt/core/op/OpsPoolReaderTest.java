/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.op;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.ProxyConfig;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OpsPoolReaderTest {
    @TempDir
    private Path folder;

    @Test
    void shouldTellHowFullEachLaneIs() {
        try (OpsPool pool = pool(); OpsPoster poster = pool.poster()) {
            for (int i = 1; i <= 5; i++) {
                poster.append(i).connection(1).nsteps(1);
            }
            poster.post();
            pool.fetcher().fetch(op -> { }, 2);
            long pid = ProcessHandle.current().pid();
            assertEquals(new LaneFill(0, 8, 3, 2, pid), OpsPoolReader.read(path()).getFirst());
            assertEquals(new LaneFill(1, 8, 0, 0, 0), OpsPoolReader.read(path()).getLast());
        }
    }

    @Test
    void shouldRefuseWhatIsNoOpsPool() throws IOException {
        assertRefused(ProxyResult.SYSTEM_ERROR, "no regular file");
        Files.write(path(), new byte[2048]);
        assertRefused(ProxyResult.INVALID_ARGUMENT, "version 3");
        Files.write(path(), new byte[10]);
        assertRefused(ProxyResult.SYSTEM_ERROR, "it ends at byte 10");
    }

    @Test
    void shouldRefuseMoreLanesThanTheFileHas() throws IOException {
        try (OpsPool pool = pool(); FileChannel file = FileChannel.open(path(), StandardOpenOption.WRITE)) {
            for (int lanes : new int[] {-1, 3, Integer.MAX_VALUE}) {
                file.write(ByteBuffer.allocate(4).putInt(Integer.reverseBytes(lanes)).flip(), 12);
                assertRefused(ProxyResult.INVALID_ARGUMENT, "claims to hold " + lanes);
            }
            assertEquals(0, pool.outstanding());
        }
    }

    private void assertRefused(ProxyResult result, String what) {
        ProxyException e = assertThrows(ProxyException.class, () -> OpsPoolReader.read(path()));
        assertEquals(result, e.result(), e.getMessage());
        assertTrue(e.getMessage().contains(what), e.getMessage());
    }

    private OpsPool pool() {
        return OpsPool.create(path(), 0, ProxyConfig.builder().environment(Map.of()).set(CoreOptions.LANES, 2)
                .set(CoreOptions.LANE_CAPACITY, 8).build());
    }

    private Path path() {
        return folder.resolve("ops");
    }
}

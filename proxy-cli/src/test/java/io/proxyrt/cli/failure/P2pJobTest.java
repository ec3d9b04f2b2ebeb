/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.failure;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.bootstrap.BootstrapConfig;
import io.proxyrt.testkit.ChildJvm;
import io.proxyrt.testkit.Extent;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Whole jobs whose ranks use memory of each other's devices, one process each, when one comes to harm. */
@Tag(Extent.ONLY_FULL)
class P2pJobTest {
    @TempDir
    private Path folder;

    @ParameterizedTest
    @CsvSource({"vmm,0", "ipc,0", "vmm,1"})
    void shouldNameTheRankThatIsKilledWhileItRunsAndGiveEverythingBack(String way, String isCopied)
            throws IOException {
        try (ChildJob job = new ChildJob("P2P", 2, folder, "p2p.host=1", "p2p.way=" + way, "p2p.use.memcpy=" + isCopied,
                "p2p.memcpy.buffer.bytes=64K")) {
            job.rehearse();
            job.join(BootstrapConfig.defaults());
            job.run();
            job.rank(1).signal("KILL");
            ChildJvm survivor = job.rank(0);
            String line = survivor.line();
            assertTrue(line.startsWith("failed REMOTE_ERROR rank ") && line.contains("rank 1 (pid " + job.rank(1).pid())
                    && line.contains("died"), line);
            survivor.tell("close");
            assertEquals("closed", survivor.line());
            survivor.tell("compare");
            assertEquals("same", survivor.line());
        }
    }
}

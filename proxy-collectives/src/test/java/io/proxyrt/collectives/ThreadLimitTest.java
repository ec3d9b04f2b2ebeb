/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.proxyrt.core.ThreadingMode;
import io.proxyrt.testkit.ChildJvm;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The system refuses a thread at each place where a rank starts one: all is undone, and the other rank hears of it. */
class ThreadLimitTest {
    /** Limits of threads do not hold for root; the class path may be readable for root only. */
    private static final List<String> AS_ANOTHER_USER = List.of("setpriv", "--reuid=64321", "--regid=64321",
            "--clear-groups", "--inh-caps=+dac_read_search", "--ambient-caps=+dac_read_search");

    @TempDir
    Path directory;

    @Test
    void shouldUndoAllAndTellWhereverThreadsRunOut() throws Exception {
        assumeTrue("root".equals(System.getProperty("user.name")), "it takes root to become another user");
        assertTrue(directory.toFile().setWritable(true, false) && directory.toFile().setExecutable(true, false)
                && directory.toFile().setReadable(true, false));
        ChildJvm child;
        try {
            child = new ChildJvm(AS_ANOTHER_USER, ThreadlessRank.class, directory.toString());
        } catch (IOException e) {
            assumeTrue(false, "no setpriv(1) here: " + e);
            return;
        }
        try (child) {
            String ready = child.line();
            assumeTrue(!"no limit".equals(ready), "no prlimit(1), or it cannot set limits");
            assertEquals("ready", ready);
            int failures = 0;
            for (String line = child.line(); !"enough".equals(line); line = child.line()) {
                if (!line.contains("[warning][os,thread]")) {
                    assertEquals("undone and told", line);
                    failures++;
                }
            }
            assertTrue(failures > 3, failures + " starts of threads were refused");
        }
    }

    /** For both: what a rank is configured with. */
    static Map<String, String> settings(String directory) {
        return Map.of("directory", directory + "/runtimes", "threading", ThreadingMode.DEDICATED.name(),
                "coll.transport", "SHM", "coll.join.timeout", "20s", "connect.timeout", "20s");
    }
}

/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.platform;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.counters.Counters;
import io.proxyrt.core.directory.RuntimeDirectory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LeftoversTest {
    @TempDir
    private Path folder;

    /** It is for processes that end, so it has one of its own. */
    @Test
    void shouldRemoveWhatThisProcessHasAndLetItMakeNoMore() throws Exception {
        Process child = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Dslf4j.internal.verbosity=ERROR", "-cp", PrivateDirectoryTest.classPath(), Ending.class.getName(),
                folder.resolve("base").toString())
                .redirectError(ProcessBuilder.Redirect.INHERIT).start();
        assertEquals(List.of("3 before", "0 after", "refused", "0 at the end"),
                child.inputReader().lines().toList());
        assertEquals(0, child.waitFor());
    }

    static final class Ending {
        private Ending() {
        }

        public static void main(String[] args) throws IOException {
            Path base = Path.of(args[0]);
            ProxyConfig config = ProxyConfig.builder().environment(Map.of())
                    .set(CoreOptions.DIRECTORY, base.toString()).build();
            RuntimeDirectory directory = RuntimeDirectory.create(config, 0);
            Counters counters = Counters.create(directory.counters(), "", 0, 1);
            System.out.println(count(base) + " before");
            Leftovers.removeAll();
            System.out.println(count(base) + " after");
            counters.heartbeat(1);
            try {
                RuntimeDirectory.create(config, 1);
            } catch (ProxyException e) {
                System.out.println("refused");
            }
            counters.close();
            directory.close();
            System.out.println(count(base) + " at the end");
        }

        private static long count(Path base) throws IOException {
            if (!Files.exists(base)) {
                return 0;
            }
            try (Stream<Path> files = Files.walk(base)) {
                return files.count();
            }
        }
    }
}

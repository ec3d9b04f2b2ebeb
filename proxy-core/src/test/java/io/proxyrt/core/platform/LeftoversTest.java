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
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LeftoversTest {
    @TempDir
    private Path folder;

    /** It is for processes that end, so it has one of its own. */
    @Test
    void shouldRemoveWhatThisProcessHasAndLetItMakeNoMore() throws Exception {
        assertEquals(List.of("3 before", "0 after", "refused", "0 at the end"), run(Ending.class));
    }

    @Test
    void shouldRemoveWhatAnotherThreadIsJustMaking() throws Exception {
        assertEquals(List.of("made", "removed", "false"), run(Making.class));
    }

    @Test
    void shouldRemoveWhatAnotherThreadIsAboutToRemove() throws Exception {
        assertEquals(List.of("true", "false"), run(Removing.class));
    }

    private List<String> run(Class<?> main) throws Exception {
        Process child = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-ea",
                "-Dslf4j.internal.verbosity=ERROR", "-cp", PrivateDirectoryTest.classPath(), main.getName(),
                folder.resolve("base").toString())
                .redirectError(ProcessBuilder.Redirect.INHERIT).start();
        List<String> lines = child.inputReader().lines().toList();
        assertEquals(0, child.waitFor());
        return lines;
    }

    static final class Making {
        private Making() {
        }

        public static void main(String[] args) throws Exception {
            Path file = Path.of(args[0]);
            Thread ending = Thread.currentThread();
            CountDownLatch entered = new CountDownLatch(1);
            Thread maker = Thread.ofPlatform().start(() -> Leftovers.make(() -> {
                entered.countDown();
                while (ending.getState() != Thread.State.TIMED_WAITING) {
                    Thread.onSpinWait();
                }
                create(file);
                Leftovers.add(file, () -> delete(file));
                System.out.println("made");
                return file;
            }));
            entered.await();
            Leftovers.removeAll();
            System.out.println("removed");
            maker.join();
            System.out.println(Files.exists(file));
        }
    }

    static final class Removing {
        private Removing() {
        }

        public static void main(String[] args) throws Exception {
            Path file = Path.of(args[0]);
            CountDownLatch begun = new CountDownLatch(1);
            CountDownLatch ended = new CountDownLatch(1);
            Thread main = Thread.currentThread();
            Leftovers.make(() -> {
                create(file);
                Leftovers.add(file, () -> {
                    if (Thread.currentThread() != main) {
                        begun.countDown();
                        awaitQuietly(ended);
                    }
                    delete(file);
                });
                return file;
            });
            Thread remover = Thread.ofPlatform().start(() -> Leftovers.remove(file));
            begun.await();
            System.out.println(Files.exists(file));
            Leftovers.removeAll();
            System.out.println(Files.exists(file));
            ended.countDown();
            remover.join();
        }

        private static void awaitQuietly(CountDownLatch latch) {
            try {
                latch.await();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }
    }

    private static void create(Path file) {
        try {
            Files.createFile(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void delete(Path file) {
        try {
            Files.deleteIfExists(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
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

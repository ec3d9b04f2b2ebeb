/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.example;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.ThreadingMode;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.runtime.ProxyState;
import io.proxyrt.testkit.ChildJvm;
import io.proxyrt.transport.net.NetOptions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the pages show of the examples is in their sources, and a network is found as its page says. */
class TransportsPageTest {
    private static final Path MODULE = Path.of(System.getProperty("basedir", "."));
    private static final Pattern SNIPPET = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL);
    private static final Pattern GAP = Pattern.compile("\n *…\n");

    /** A runtime on the class path, where META-INF/services counts. */
    static final class RuntimeOnRings {
        private RuntimeOnRings() {
        }

        public static void main(String[] args) {
            ProxyConfig config = ProxyConfig.builder().environment(Map.of()).set(CoreOptions.DIRECTORY, args[0])
                    .set(CoreOptions.THREADING, ThreadingMode.INVOKER).set(NetOptions.NET, "ring").build();
            try (ProxyState proxy = ProxyState.builder().config(config).start()) {
                System.out.println(proxy.describe("NET"));
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"transports.md", "tutorial-transport.md"})
    void shouldShowWhatIsCompiledHere(String page) throws IOException {
        Matcher snippets = SNIPPET.matcher(Files.readString(MODULE.resolve("../docs").resolve(page)));
        String sources = sources();
        int count = 0;
        while (snippets.find()) {
            count++;
            for (String part : GAP.split(snippets.group(1))) {
                assertTrue(sources.contains(flat(part)), "not in the sources of the example:\n" + part);
            }
        }
        assertTrue(count >= 5, count + " snippets");
    }

    @Test
    void shouldBeFoundByARuntime(@TempDir Path directory) throws IOException {
        try (ChildJvm child = new ChildJvm(List.of(), RuntimeOnRings.class, directory.toString())) {
            String found = child.line();
            assertTrue(found.contains("Ring: ring0, between ranks of one process"), found);
            assertTrue(found.contains("Socket: not used, proxyrt.net is ring"), found);
        }
    }

    @Test
    void shouldNameOnlyFilesThatAreThere() throws IOException {
        Matcher links = Pattern.compile("\\]\\(([^)#:]+)(#[^)]*)?\\)").matcher(
                Files.readString(MODULE.resolve("../docs/transports.md")));
        int count = 0;
        while (links.find()) {
            count++;
            assertTrue(Files.exists(MODULE.resolve("../docs").resolve(links.group(1))), links.group(1));
        }
        assertTrue(count > 0);
    }

    private static String sources() throws IOException {
        try (Stream<Path> files = Files.list(MODULE.resolve("src/test/java/io/proxyrt/example"))) {
            return files.sorted().map(TransportsPageTest::read).map(TransportsPageTest::flat)
                    .collect(Collectors.joining("\n"));
        }
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Without indentation, which a page does not keep. */
    private static String flat(String text) {
        return text.strip().replaceAll("\n +", "\n");
    }
}

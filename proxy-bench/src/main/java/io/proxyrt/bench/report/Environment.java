/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.report;

import io.proxyrt.bench.run.Programs;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Properties;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The machine and the software that a run was made with. */
final class Environment {
    private Environment() {
    }

    static Table<List<?>> table(Programs programs, List<String> libraries) {
        List<List<?>> rows = new ArrayList<>(List.of(
                List.of("processor", processor() + ", " + Runtime.getRuntime().availableProcessors() + " CPUs"),
                List.of("system", System.getProperty("os.name") + " " + System.getProperty("os.version") + ", "
                        + System.getProperty("os.arch")),
                List.of("JVM", System.getProperty("java.vendor.version") + ", "
                        + System.getProperty("java.vm.version")),
                List.of("options of each measuring JVM", "`" + String.join(" ", programs.jvmOptions()) + "`")));
        programs.peers().forEach((library, version) -> rows.add(List.of(library, version)));
        rows.add(List.of("libraries", versions(libraries)));
        return Table.ofRows(List.of("what", "which"), rows);
    }

    /** A name for machines of this kind: the processor's, without what is the same for all. */
    static String machine(String processor) {
        return processor.replaceAll("(?i)\\((r|tm)\\)|\\b(intel|amd|processor|cpu)\\b|@.*", " ").strip()
                .toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]+", "-");
    }

    private static String versions(List<String> libraries) {
        Properties versions = new Properties();
        try (InputStream in = Environment.class.getResourceAsStream("/libraries.properties")) {
            versions.load(in);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return libraries.stream().map(name -> name + " " + versions.getProperty(name))
                .collect(Collectors.joining(", "));
    }

    static String processor() {
        try (Stream<String> lines = Files.lines(Path.of("/proc/cpuinfo"))) {
            return lines.filter(line -> line.startsWith("model name")).findFirst()
                    .map(line -> line.substring(line.indexOf(':') + 1).strip()).orElse("unknown");
        } catch (IOException | UncheckedIOException e) {
            return "unknown";
        }
    }
}

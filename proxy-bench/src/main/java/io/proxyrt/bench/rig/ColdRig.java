/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.rig;

import io.proxyrt.bench.process.Child;
import io.proxyrt.bench.process.TemporaryFolder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/**
 * A JVM from its start to the first collective and to steady ones, with the JVM's defaults but one: with or without an
 * AOT cache of a run before, as an embedder makes and uses one.
 */
final class ColdRig {
    private static final Duration TIMEOUT = Duration.ofMinutes(2);
    private static final List<String> JVM = List.of("--enable-native-access=ALL-UNNAMED",
            "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn");

    private final RigArguments arguments;
    private final Path directory;

    private ColdRig(RigArguments arguments, Path directory) {
        this.arguments = arguments;
        this.directory = directory;
    }

    static Measurements measure(RigArguments arguments) throws IOException {
        try (TemporaryFolder folder = TemporaryFolder.in(TemporaryFolder.TEMPORARY, "proxyrt-cold-")) {
            return new ColdRig(arguments, folder.path()).run();
        }
    }

    private Measurements run() throws IOException {
        Measurements measured = new Measurements();
        Path cache = directory.resolve("cold.aot");
        boolean isCached = arguments.isTrue("aot");
        if (isCached) {
            long start = System.nanoTime();
            train("-XX:AOTConfiguration=" + directory.resolve("cold.aotconf"), "-XX:AOTCache=" + cache);
            measured.add("train_ms", (System.nanoTime() - start) / 1e6);
            measured.add("cache_mb", Files.size(cache) / 1e6);
        }
        for (String line : isCached ? child("-XX:AOTCache=" + cache) : child()) {
            String[] words = line.split("\t");
            measured.add(words[words.length - 2], Double.parseDouble(words[words.length - 1]));
        }
        return measured;
    }

    /** In two steps: at the end of the one that does both the JVM says on the standard error what it runs. */
    private void train(String profile, String cache) {
        child("-XX:AOTMode=record", profile);
        child("-XX:AOTMode=create", profile, cache);
    }

    private List<String> child(String... options) {
        List<String> command = Child.java(Stream.concat(JVM.stream(), Stream.of(options)).toList(),
                ColdMain.class.getName());
        command.add(Long.toString(arguments.nanos("seconds") / 1_000_000));
        command.addAll(RigArguments.words(arguments.options()));
        return Child.run(command, directory, TIMEOUT).stream().filter(line -> line.startsWith("R\t")).toList();
    }
}

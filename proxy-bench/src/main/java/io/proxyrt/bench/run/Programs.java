/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.run;

import io.proxyrt.bench.process.BenchException;
import io.proxyrt.bench.process.Child;
import io.proxyrt.bench.process.TemporaryFolder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/** The programs that measure: child JVMs with this JVM's class path, and the peers, compiled for this machine. */
public final class Programs implements Peers {
    private static final Duration TIMEOUT = Duration.ofSeconds(300);
    private static final Duration BUILD_TIMEOUT = Duration.ofMinutes(10);
    private static final List<String> JVM = List.of("-Xms256m", "-Xmx1g", "-XX:+UseG1GC", "-XX:+AlwaysPreTouch",
            "-XX:-UsePerfData", "--enable-native-access=ALL-UNNAMED", "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn",
            "-Dslf4j.internal.verbosity=ERROR", "-Dorg.slf4j.simpleLogger.log.proxyrt.proxy=error");
    /** What Agrona and JMH need; the runtime does without. */
    private static final List<String> FOR_PEERS = List.of("--sun-misc-unsafe-memory-access=allow",
            "--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED", "-Djmh.ignoreLock=true");

    private static final String CORE_TO_CORE = "c2c";

    private final Path root;
    private final Path build;
    private final Launcher launcher;
    private final List<String> jvmOptions;
    private final Map<Job.Program, String> missing = new EnumMap<>(Job.Program.class);
    private final Map<String, String> peers = new LinkedHashMap<>();

    private Programs(Path root, Path build, boolean isWithPeersInJava) {
        this.root = root;
        this.build = build;
        this.jvmOptions = new ArrayList<>(JVM);
        if (isWithPeersInJava) {
            jvmOptions.addAll(FOR_PEERS);
        }
        this.launcher = new Launcher(root, build, jvmOptions);
    }

    /**
     * Compiles programs, each if there is a compiler for it. What runs when this JVM ends is ended with it.
     *
     * @param root     of the source tree
     * @param programs that take part
     * @return ready
     */
    public static Programs prepare(Path root, List<Job.Program> programs) {
        Path build = root.resolve("proxy-bench/target/peers");
        Child.endAllOnExit();
        try {
            Files.createDirectories(build);
        } catch (IOException e) {
            throw new BenchException("cannot make the folder " + build, e);
        }
        Programs prepared = new Programs(root, build, programs.contains(Job.Program.OPSQUEUE));
        Path sources = root.resolve("proxy-bench/peers");
        prepared.attempt(null, Compiler.CC.library(), () -> {
            Compiler.CC.compile(CORE_TO_CORE, sources, build);
            return null;
        });
        for (Job.Program program : programs) {
            Compiler compiler = program.compiler();
            if (program.isC()) {
                prepared.attempt(program, compiler.library(), () -> compiler.compile(program.source(), sources, build));
            } else if (program == Job.Program.UCX) {
                prepared.attempt(program, UcxPerf.LIBRARY, () -> UcxPerf.describe(build, TIMEOUT));
            } else if (program == Job.Program.PERF) {
                Child.run(List.of(prepared.launcher.proxyrt(), "--version"), build, BUILD_TIMEOUT);
            }
        }
        return prepared;
    }

    @Override
    public String path(Job.Program program) {
        return missing.containsKey(program) ? null : launcher.path(program);
    }

    /**
     * What is left out, and why.
     *
     * @return a line each
     */
    public List<String> missing() {
        return missing.entrySet().stream()
                .map(e -> "Left out, the peer " + e.getKey().source() + ": " + e.getValue()).toList();
    }

    /**
     * What the peers are made of.
     *
     * @return the version, or why there is none, by library
     */
    public Map<String, String> peers() {
        return peers;
    }

    /**
     * The options that child JVMs get.
     *
     * @return words
     */
    public List<String> jvmOptions() {
        return List.copyOf(jvmOptions);
    }

    List<String> run(Job job) {
        List<String> command = launcher.command(job);
        if (job.program() == Job.Program.GLOO) {
            return inEmptyFolder(command);
        }
        if (job.program() == Job.Program.UCX) {
            return UcxPerf.run(job.words(), build, TIMEOUT);
        }
        List<String> lines = Child.run(command, build, TIMEOUT);
        return job.program() == Job.Program.PERF ? PerfLines.values(lines) : lines;
    }

    /** Nanoseconds that a cache line takes to the other CPU and back; NaN if unknown. */
    double coreToCore() {
        try {
            String line = Child.run(List.of(build.resolve(CORE_TO_CORE).toString()), build, TIMEOUT).getFirst();
            return Double.parseDouble(line.split("\t")[2]);
        } catch (BenchException e) {
            return Double.NaN;
        }
    }

    /** Makes a program, and keeps what the library is that it shows the speed of, or why there is none. */
    private void attempt(Job.Program program, String library, Supplier<String> make) {
        try {
            String description = make.get();
            if (description != null) {
                peers.put(library, description);
            }
        } catch (BenchException e) {
            if (program != null) {
                missing.put(program, reason(e));
            }
            peers.put(library, "none (" + reason(e) + ")");
        }
    }

    /** A page repeats it, so it names files of this tree from the tree's root on. */
    private String reason(BenchException failure) {
        List<String> lines = failure.getMessage().replace(root + "/", "").lines().map(String::strip)
                .filter(line -> !line.isEmpty()).toList();
        return lines.stream().filter(line -> line.contains("error")).findFirst().orElse(lines.getFirst());
    }

    private List<String> inEmptyFolder(List<String> command) {
        try (TemporaryFolder folder = TemporaryFolder.in(build, "meet")) {
            List<String> words = new ArrayList<>(command);
            words.add(folder.path().toString());
            return Child.run(words, build, TIMEOUT);
        }
    }
}

/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.run;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** The programs that measure: child JVMs with this JVM's class path, and the peers in C, compiled for this machine. */
public final class Programs {
    private static final Duration TIMEOUT = Duration.ofSeconds(120);
    private static final List<String> JVM = List.of("-Xms256m", "-Xmx256m", "-XX:+UseG1GC", "-XX:+AlwaysPreTouch",
            "-XX:-UsePerfData", "--enable-native-access=ALL-UNNAMED", "--sun-misc-unsafe-memory-access=allow",
            "--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED", "-Djmh.ignoreLock=true",
            "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn", "-Dslf4j.internal.verbosity=ERROR");

    private final Path build;
    private final String compiler;
    private final String whyNoC;

    private Programs(Path build, String compiler, String whyNoC) {
        this.build = build;
        this.compiler = compiler;
        this.whyNoC = whyNoC;
    }

    /**
     * Compiles the peers in C, if there is a compiler for them.
     *
     * @param sources folder of the C sources
     * @param build   folder for what is compiled; made if missing
     * @return ready
     */
    public static Programs prepare(Path sources, Path build) {
        try {
            Files.createDirectories(build);
            for (String name : List.of("opsqueue", "c2c")) {
                Child.run(List.of("cc", "-O3", "-march=native", "-pthread", "-o", build.resolve(name).toString(),
                        sources.resolve(name + ".c").toString()), build, TIMEOUT);
            }
            String version = Child.run(List.of("cc", "--version"), build, TIMEOUT).getFirst();
            return new Programs(build, version + ", -O3 -march=native", "");
        } catch (IOException e) {
            throw new BenchException("cannot make the folder " + build, e);
        } catch (BenchException e) {
            return new Programs(build, "", e.getMessage().lines().findFirst().orElse("no C compiler").strip());
        }
    }

    /**
     * Whether the peers in C can run.
     *
     * @return false without a compiler
     */
    public boolean hasC() {
        return whyNoC.isEmpty();
    }

    /**
     * Why the peers in C can't run.
     *
     * @return empty if they can
     */
    public String whyNoC() {
        return whyNoC;
    }

    /**
     * The C compiler, or why there is none.
     *
     * @return for people
     */
    public String compiler() {
        return hasC() ? compiler : "none (" + whyNoC + ")";
    }

    /**
     * The options that child JVMs get.
     *
     * @return words
     */
    public static List<String> jvmOptions() {
        return JVM;
    }

    List<String> run(Job job) {
        return run(job.program(), job.words());
    }

    List<String> run(Job.Program program, List<String> words) {
        List<String> command = new ArrayList<>();
        if (program == Job.Program.C) {
            command.add(build.resolve("opsqueue").toString());
        } else {
            command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
            command.addAll(JVM);
            command.addAll(List.of("-cp", System.getProperty("java.class.path"), "io.proxyrt.bench.rig.RigMain"));
        }
        command.addAll(words);
        return Child.run(command, build, TIMEOUT);
    }

    /** Nanoseconds that a cache line takes to the other CPU and back; NaN if unknown. */
    double coreToCore() {
        if (!hasC()) {
            return Double.NaN;
        }
        try {
            String line = Child.run(List.of(build.resolve("c2c").toString()), build, TIMEOUT).getFirst();
            return Double.parseDouble(line.split("\t")[2]);
        } catch (BenchException e) {
            return Double.NaN;
        }
    }
}

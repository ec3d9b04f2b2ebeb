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
            "-XX:-UsePerfData", "--enable-native-access=ALL-UNNAMED", "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn",
            "-Dslf4j.internal.verbosity=ERROR", "-Dorg.slf4j.simpleLogger.log.io.proxyrt.rpc=error");
    /** What Agrona and JMH need; the runtime does without. */
    private static final List<String> FOR_PEERS = List.of("--sun-misc-unsafe-memory-access=allow",
            "--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED", "-Djmh.ignoreLock=true");

    private static final String CORE_TO_CORE = "c2c";

    private final Path build;
    private final List<String> jvmOptions;
    private final String compiler;
    private final String whyNoC;

    private Programs(Path build, Job.Program peer, String compiler, String whyNoC) {
        this.build = build;
        this.jvmOptions = new ArrayList<>(JVM);
        if (peer == Job.Program.OPSQUEUE) {
            jvmOptions.addAll(FOR_PEERS);
        }
        this.compiler = compiler;
        this.whyNoC = whyNoC;
    }

    /**
     * Compiles a peer in C, if there is a compiler for it. What runs when this JVM ends is ended with it.
     *
     * @param root of the source tree
     * @param peer that takes part
     * @return ready
     */
    public static Programs prepare(Path root, Job.Program peer) {
        Path sources = root.resolve("proxy-bench/peers");
        Path build = root.resolve("proxy-bench/target/peers");
        Child.endAllOnExit();
        try {
            Files.createDirectories(build);
            for (String name : List.of(peer.source(), CORE_TO_CORE)) {
                Child.run(List.of("cc", "-O3", "-march=native", "-pthread", "-o", build.resolve(name).toString(),
                        sources.resolve(name + ".c").toString()), build, TIMEOUT);
            }
            String version = Child.run(List.of("cc", "--version"), build, TIMEOUT).getFirst();
            return new Programs(build, peer, version + ", -O3 -march=native", "");
        } catch (IOException e) {
            throw new BenchException("cannot make the folder " + build, e);
        } catch (BenchException e) {
            return new Programs(build, peer, "", e.getMessage().lines().findFirst().orElse("no C compiler").strip());
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
    public List<String> jvmOptions() {
        return List.copyOf(jvmOptions);
    }

    List<String> run(Job job) {
        return run(job.program(), job.words());
    }

    List<String> run(Job.Program program, List<String> words) {
        List<String> command = new ArrayList<>();
        if (program.isC()) {
            command.add(build.resolve(program.source()).toString());
        } else {
            command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
            command.addAll(jvmOptions);
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
            String line = Child.run(List.of(build.resolve(CORE_TO_CORE).toString()), build, TIMEOUT).getFirst();
            return Double.parseDouble(line.split("\t")[2]);
        } catch (BenchException e) {
            return Double.NaN;
        }
    }
}

/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.run;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The command lines of the programs that measure. */
final class Launcher {
    /** Over TCP on the loopback device alone, as the peers beside it. */
    private static final List<String> MPIRUN = List.of("mpirun", "--allow-run-as-root", "--mca", "pml", "ob1", "--mca",
            "btl", "tcp,self", "--mca", "btl_tcp_if_include", "lo");
    private static final List<String> A_CORE_EACH = List.of("--bind-to", "core");
    private static final List<String> SHARED_CORES =
            List.of("--oversubscribe", "--bind-to", "none", "--mca", "mpi_yield_when_idle", "1");

    private final Path root;
    private final Path build;
    private final List<String> jvmOptions;

    Launcher(Path root, Path build, List<String> jvmOptions) {
        this.root = root;
        this.build = build;
        this.jvmOptions = jvmOptions;
    }

    List<String> command(Job job) {
        List<String> command = switch (job.program()) {
            case JAVA -> rig();
            case PERF -> new ArrayList<>(List.of(proxyrt(), "perf"));
            case MPI -> mpirun(Integer.parseInt(job.words().getFirst()));
            default -> new ArrayList<>(List.of(build.resolve(job.program().source()).toString()));
        };
        command.addAll(job.program() == Job.Program.MPI ? job.words().subList(1, job.words().size()) : job.words());
        return command;
    }

    /** The launcher of the runtime itself. */
    String proxyrt() {
        return root.resolve("proxyrt").toString();
    }

    private List<String> rig() {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(jvmOptions);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), "io.proxyrt.bench.rig.RigMain"));
        return command;
    }

    private List<String> mpirun(int ranks) {
        List<String> command = new ArrayList<>(MPIRUN);
        command.addAll(ranks > Runtime.getRuntime().availableProcessors() ? SHARED_CORES : A_CORE_EACH);
        command.addAll(List.of("-n", Integer.toString(ranks), build.resolve(Job.Program.MPI.source()).toString()));
        return command;
    }
}

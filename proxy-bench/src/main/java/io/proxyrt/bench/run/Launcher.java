/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.run;

import io.proxyrt.bench.process.Child;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The command lines of the programs that measure. */
record Launcher(Path root, Path build, List<String> jvmOptions) {
    private static final List<String> MPIRUN = List.of("mpirun", "--allow-run-as-root", "--mca", "pml", "ob1");
    /** On the loopback device alone, as the peers beside it. */
    private static final List<String> OVER_TCP = List.of("--mca", "btl", "tcp,self", "--mca", "btl_tcp_if_include",
            "lo");
    /**
     * Through shared buffers, without the system's copy from process to process; and with memory kept that is freed,
     * for large all-reduces take a temporary buffer each, and would pay for its pages each time.
     */
    private static final List<String> OVER_SHARED_MEMORY = List.of("--mca", "btl", "vader,self", "--mca",
            "btl_vader_single_copy_mechanism", "none", "-x", "MALLOC_MMAP_THRESHOLD_=4294967296", "-x",
            "MALLOC_TRIM_THRESHOLD_=4294967296", "-x", "MALLOC_TOP_PAD_=268435456");
    private static final List<String> A_CORE_EACH = List.of("--bind-to", "core");
    private static final List<String> SHARED_CORES =
            List.of("--oversubscribe", "--bind-to", "none", "--mca", "mpi_yield_when_idle", "1");

    List<String> command(Job job) {
        List<String> command = switch (job.program()) {
            case JAVA -> Child.java(jvmOptions, "io.proxyrt.bench.rig.RigMain");
            case PERF -> new ArrayList<>(List.of(proxyrt(), "perf"));
            case MPI -> mpirun(OVER_TCP, job);
            case MPI_SHM -> mpirun(OVER_SHARED_MEMORY, job);
            default -> new ArrayList<>(List.of(path(job.program())));
        };
        boolean isMpi = job.program() == Job.Program.MPI || job.program() == Job.Program.MPI_SHM;
        command.addAll(isMpi ? job.words().subList(1, job.words().size()) : job.words());
        return command;
    }

    /** The launcher of the runtime itself. */
    String proxyrt() {
        return root.resolve("proxyrt").toString();
    }

    private List<String> mpirun(List<String> way, Job job) {
        int ranks = Integer.parseInt(job.words().getFirst());
        List<String> command = new ArrayList<>(MPIRUN);
        command.addAll(way);
        command.addAll(ranks > Runtime.getRuntime().availableProcessors() ? SHARED_CORES : A_CORE_EACH);
        command.addAll(List.of("-n", Integer.toString(ranks), path(job.program())));
        return command;
    }

    /** The file of a program in C. */
    String path(Job.Program program) {
        return build.resolve(program.source()).toString();
    }
}

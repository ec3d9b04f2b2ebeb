/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.run;

import java.util.List;

/**
 * One measurement, made by a program of its own.
 *
 * @param experiment such as {@code throughput}
 * @param scenario   the cell of the experiment, such as {@code 2 x 16}
 * @param contender  who is measured
 * @param program    what runs it
 * @param words      the program's arguments
 */
public record Job(String experiment, String scenario, String contender, Program program, List<String> words) {
    /** What measures. */
    public enum Program {
        /** A JVM with a rig. */
        JAVA("", null),
        /** {@code proxyrt perf}. */
        PERF("", null),
        /** The ops pool in C. */
        OPSQUEUE("opsqueue", Compiler.CC),
        /** Sleeping between bursts in C. */
        BURSTS("bursts", Compiler.CC),
        /** Requests and answers in C. */
        ROUND_TRIP("roundtrip", Compiler.CC),
        /** A server in C under attack, with its good client; a rig gives the orders. */
        ATTACKED("attacked", Compiler.CC),
        /** Bytes over sockets in C. */
        NET("netpeer", Compiler.CC),
        /** Bytes over sockets by other calls, in C. */
        NET_ENGINES("netengines", Compiler.CC),
        /** A plug-in of NCCL's interface, called from C. */
        NET_PLUGIN("netplugin", Compiler.CC),
        /** One thread's copies in C. */
        COPIES("copies", Compiler.CC),
        /** MPI over TCP; the first word says how many ranks. */
        MPI("mpibench", Compiler.MPICC),
        /** MPI over shared memory; the first word says how many ranks. */
        MPI_SHM("mpibench", Compiler.MPICC),
        /** The benchmark that UCX brings along, over shared memory. */
        UCX(UcxPerf.NAME, null),
        /** An all-reduce of Gloo; the last word is the folder in which the ranks meet. */
        GLOO("gloobench", Compiler.GLOO);

        private final String source;
        private final Compiler compiler;

        Program(String source, Compiler compiler) {
            this.source = source;
            this.compiler = compiler;
        }

        /**
         * Whether it is compiled from C or C++.
         *
         * @return false for ours
         */
        public boolean isC() {
            return compiler != null;
        }

        /** The name of the source and of what is compiled from it. */
        String source() {
            return source;
        }

        /** What compiles it; null for ours. */
        Compiler compiler() {
            return compiler;
        }
    }

    @Override
    public String toString() {
        return experiment + ' ' + scenario + ' ' + contender;
    }
}

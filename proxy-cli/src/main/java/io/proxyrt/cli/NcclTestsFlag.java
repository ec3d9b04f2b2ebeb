/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli;

import java.util.List;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;

/**
 * Flags of nccl-tests and rccl-tests that ask for what perf does not do. Those with a value that changes nothing are
 * taken with it, so that command lines can be taken over; all else is refused, with what to use instead.
 */
enum NcclTestsFlag {
    THREADS("1", "a rank is a process, or a thread with --in-process; --ranks says how many there are",
            "-t", "--nthreads"),
    GPUS("1", "a rank has one device; --ranks says how many ranks there are, and --device cuda gives each a GPU",
            "-g", "--ngpus"),
    RUN_CYCLES("1", "the table is gone through once; proxyrt soak goes on for as long as you like",
            "-N", "--run_cycles"),
    PARALLEL_INIT("0|1", "ranks are always initialized in parallel", "-p", "--parallel_init"),
    BLOCKING("0", "the operations of a measurement are launched one behind the other and waited for once; with -n 1 "
            + "each is waited for", "-z", "--blocking"),
    STREAM_NULL("0", "each rank has a stream of its own; leave it out", "-y", "--stream_null"),
    CPU_TIME("0", "times are from launch to end; for the time on CPUs, run the command under time",
            "-C", "--report_cputime"),
    TIMESTAMPS("0", "rows have no time of day; --json tells when the measurement began", "-S", "--report_timestamps"),
    REGISTER("0", "buffers are the runtime's own, which transports share as they are; leave it out",
            "-R", "--local_register"),
    CTA_POLICY("0", "--channels says how many rings share the work", "-x", "--cta_policy"),
    DEVICE_IMPLEMENTATION("0", "--algo chooses the algorithm", "-D", "--device_implementation"),
    DEVICE_CTAS("16", "--channels says how many rings share the work", "--device_cta_count"),
    MEMORY("0", "proxyrt stat --memory shows each connection's memory while this runs",
            "-M", "--memory_report", "--memory"),
    MEMORY_TYPE("", "--device says where the data are", "-Y", "--memory_type"),
    CU_MASK("", "--channels says how many rings share the work", "-u", "--cumask"),
    OUT_OF_PLACE("", "both placements are measured; --csv has a line for each", "-O", "--out_of_place"),
    DELAY("0", "placements are measured one after the other without a pause; leave it out",
            "-q", "--delay_inout_place"),
    CACHE_FLUSH("0", "caches stay as they are; sizes beyond them show what memory does", "-F", "--cache_flush"),
    ROTATING_TENSOR("0", "sizes beyond the caches show what memory does", "-E", "--rotating_tensor"),
    OUTPUT_FORMAT("", "--json FILE and --csv FILE write the results", "-Z", "--rccl_output_format", "--output_format"),
    OUTPUT_FILE("", "--json FILE and --csv FILE write the results", "-X", "--rccl_output_file");

    private final String taken;
    private final String advice;
    private final List<String> names;

    NcclTestsFlag(String taken, String advice, String... names) {
        this.taken = taken;
        this.advice = advice;
        this.names = List.of(names);
    }

    private String demand() {
        return taken.isEmpty() ? "proxyrt does not take it" : "must be " + taken.replace("|", " or ");
    }

    /** Has a command know them all; its help does not show them. */
    static void addAll(CommandSpec spec) {
        for (NcclTestsFlag flag : values()) {
            spec.addOption(OptionSpec.builder(flag.names.toArray(String[]::new)).hidden(true).arity("1")
                    .type(String.class).paramLabel("VALUE").build());
        }
    }

    /** Refuses those that would change something. */
    static void requireHarmless(CommandSpec spec) {
        ParseResult found = spec.commandLine().getParseResult();
        for (NcclTestsFlag flag : values()) {
            String name = flag.names.getFirst();
            String value = found.matchedOptionValue(name, null);
            if (value != null && (flag.taken.isEmpty() || !value.matches(flag.taken))) {
                throw new ParameterException(spec.commandLine(), name + " is " + value + ": " + flag.demand() + ", for "
                        + flag.advice);
            }
        }
    }
}

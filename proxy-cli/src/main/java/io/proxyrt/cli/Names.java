/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli;

import io.proxyrt.bootstrap.InitSimulation;
import io.proxyrt.cli.perf.Collective;
import io.proxyrt.cli.perf.PerfOp;
import io.proxyrt.collectives.Algorithm;
import io.proxyrt.core.DataType;
import io.proxyrt.core.ThreadingMode;
import io.proxyrt.tuner.CpuVendor;
import io.proxyrt.tuner.TuningInput;
import io.proxyrt.tuner.model.CostModel;
import java.util.Arrays;
import java.util.Iterator;
import java.util.Locale;
import java.util.stream.Stream;

/** The values of options that have a few of them, for suggestions and for completion in a shell. */
final class Names {
    private static final String ALL = "all";

    private Names() {
    }

    /** Of what perf measures. */
    static final class Collectives implements Iterable<String> {
        @Override
        public Iterator<String> iterator() {
            return lowerCase(Collective.values()).iterator();
        }
    }

    /** Of elements. */
    static final class Types implements Iterable<String> {
        @Override
        public Iterator<String> iterator() {
            return Stream.concat(Arrays.stream(DataType.values()).map(DataType::label), Stream.of(ALL)).iterator();
        }
    }

    /** Of reductions. */
    static final class Reductions implements Iterable<String> {
        @Override
        public Iterator<String> iterator() {
            return Stream.concat(Arrays.stream(PerfOp.values()).map(PerfOp::label), Stream.of(ALL)).iterator();
        }
    }

    /** Of threading modes. */
    static final class Threadings implements Iterable<String> {
        @Override
        public Iterator<String> iterator() {
            return lowerCase(ThreadingMode.values()).iterator();
        }
    }

    /** Of algorithms. */
    static final class Algorithms implements Iterable<String> {
        @Override
        public Iterator<String> iterator() {
            return Stream.concat(lowerCase(Algorithm.values()), Stream.of("collnet", "auto")).iterator();
        }
    }

    /** Of what has a choice of algorithms. */
    static final class Tuned implements Iterable<String> {
        @Override
        public Iterator<String> iterator() {
            return lowerCase(TuningInput.FUNCTIONS.toArray(Enum<?>[]::new)).iterator();
        }
    }

    /** Of what may happen to a rank. */
    static final class Faults implements Iterable<String> {
        @Override
        public Iterator<String> iterator() {
            return lowerCase(InitSimulation.Fault.values()).iterator();
        }
    }

    /** Of GPUs with a cost model. */
    static final class Architectures implements Iterable<String> {
        @Override
        public Iterator<String> iterator() {
            return CostModel.architectures().iterator();
        }
    }

    /** Of CPUs. */
    static final class CpuVendors implements Iterable<String> {
        @Override
        public Iterator<String> iterator() {
            return lowerCase(CpuVendor.values()).iterator();
        }
    }

    private static Stream<String> lowerCase(Enum<?>[] values) {
        return Arrays.stream(values).map(value -> value.name().toLowerCase(Locale.ROOT));
    }
}

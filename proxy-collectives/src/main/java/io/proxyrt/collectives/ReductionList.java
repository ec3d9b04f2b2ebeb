/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import io.proxyrt.core.DataType;
import io.proxyrt.core.PreMulSum;
import io.proxyrt.core.RedOp;
import io.proxyrt.core.ReduceOp;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.stream.Stream;

/**
 * Which reductions, in an order: operators and types by nccl-tests' names, such as {@code sum-float,mulsum-bfloat16}. A
 * type alone is its sum. Immutable.
 */
public final class ReductionList {
    private static final String NONE = "none";
    private static final List<DataType> TYPES = List.of(DataType.values());
    private static final List<String> OPS = Stream.concat(Arrays.stream(RedOp.values()),
            Stream.of(PreMulSum.of(DataType.FLOAT32, 1))).map(ReduceOp::label).toList();

    /** By their names. */
    private final Map<String, Reduction> reductions = new LinkedHashMap<>();

    private ReductionList() {
    }

    private record Reduction(DataType type, ReduceOp op) {
    }

    /**
     * Reads a list.
     *
     * @param text as a user wrote it, in any case; {@code none} or empty for none
     * @return each of them once
     * @throws IllegalArgumentException if it names what is not known, with what is
     */
    public static ReductionList parse(String text) {
        ReductionList read = new ReductionList();
        if (!text.strip().equalsIgnoreCase(NONE)) {
            Arrays.stream(text.toLowerCase(Locale.ROOT).split(",")).map(String::strip)
                    .filter(entry -> !entry.isEmpty()).forEach(read::add);
        }
        return read;
    }

    private void add(String entry) {
        int dash = entry.indexOf('-');
        String op = dash < 0 ? RedOp.SUM.label() : entry.substring(0, dash).strip();
        DataType type = type(entry, entry.substring(dash + 1).strip());
        reductions.put(op + "-" + type.label(), new Reduction(type, op(entry, op, type)));
    }

    private static DataType type(String entry, String name) {
        return TYPES.stream().filter(type -> name.equals(type.label()) || name.equalsIgnoreCase(type.name()))
                .findFirst().orElseThrow(() -> unknown(entry, name, "type", TYPES.stream().map(DataType::label)));
    }

    /** What it multiplies by makes no difference. */
    private static ReduceOp op(String entry, String name, DataType type) {
        return Stream.concat(Arrays.stream(RedOp.values()), Stream.of(PreMulSum.of(type, 1)))
                .filter(op -> op.label().equals(name)).findFirst()
                .orElseThrow(() -> unknown(entry, name, "operator", OPS.stream()));
    }

    private static IllegalArgumentException unknown(String entry, String name, String what, Stream<String> known) {
        return new IllegalArgumentException("'" + name + "' in '" + entry + "' is no " + what + " of " + known.toList()
                + "; write sum-float, or float for short");
    }

    /** In the order in which they were named. */
    void forEach(BiConsumer<DataType, ReduceOp> action) {
        reductions.values().forEach(reduction -> action.accept(reduction.type, reduction.op));
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof ReductionList that && toString().equals(that.toString());
    }

    @Override
    public int hashCode() {
        return toString().hashCode();
    }

    /** What {@link #parse} reads. */
    @Override
    public String toString() {
        return reductions.isEmpty() ? NONE : String.join(",", reductions.keySet());
    }
}

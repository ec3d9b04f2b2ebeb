/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives.gpu;

import io.proxyrt.core.DataType;
import io.proxyrt.core.PreMulSum;
import io.proxyrt.core.RedOp;
import io.proxyrt.core.ReduceOp;
import io.proxyrt.core.UserRedOp;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Collectors;

/** The source of the kernels, which is compiled for one reduction. */
public final class KernelSource {
    private static final List<String> BEFORE = List.of("words.cu", "reduction.cu");
    private static final List<String> PRIMITIVES = List.of("connection.cu", "primitives.cu");
    private static final List<String> USUAL = List.of("ring.cu", "message.cu", "oneshot.cu");
    private static final List<String> TREES = List.of("tree.cu");
    private static final String PLAIN = chosen("Keep", "Keep", "AsItIs");

    private KernelSource() {
    }

    /**
     * What all programs begin with.
     *
     * @return words and the functors of all reductions
     */
    public static String functors() {
        return read(BEFORE);
    }

    /**
     * Which functors a reduction is made of: Step, and Last, which averages divide in; and Own, by which a rank's own
     * input is multiplied first, or not. Sums and products of integers do not depend on their sign.
     *
     * @param type of the elements
     * @param op   how to reduce
     * @return three declarations
     */
    public static String chosen(DataType type, ReduceOp op) {
        String codec = codec(type);
        String wrapping = type.isFloatingPoint() ? codec : "Uint" + Byte.SIZE * type.sizeBytes();
        return switch (op) {
            case PreMulSum ignored ->
                chosen("Sum<" + wrapping + ">", "Sum<" + wrapping + ">", "Scaled<" + wrapping + ">");
            case UserRedOp user -> throw new AssertionError(user + " for a GPU");
            case RedOp.SUM -> chosen("Sum", wrapping, "Sum", wrapping);
            case RedOp.PROD -> chosen("Product", wrapping, "Product", wrapping);
            case RedOp.MAX -> chosen("Max", codec, "Max", codec);
            case RedOp.MIN -> chosen("Min", codec, "Min", codec);
            case RedOp.AVG -> chosen("Sum", wrapping, type.isFloatingPoint() ? "Average" : "Quotient", codec);
        };
    }

    /** Kernels that reduce nothing. */
    static String plain() {
        return program(PLAIN, USUAL);
    }

    static String of(DataType type, ReduceOp op) {
        return program(chosen(type, op), USUAL);
    }

    /** Those of trees, which are a program of their own, as few jobs need them; they reduce nothing if op is null. */
    static String trees(DataType type, ReduceOp op) {
        return program(op == null ? PLAIN : chosen(type, op), TREES);
    }

    private static String program(String chosen, List<String> kernels) {
        return functors() + chosen + read(PRIMITIVES) + "\n" + read(kernels);
    }

    private static String chosen(String step, String stepCodec, String last, String lastCodec) {
        return chosen(step + "<" + stepCodec + ">", last + "<" + lastCodec + ">", "AsItIs");
    }

    private static String chosen(String step, String last, String own) {
        return "typedef " + step + " Step;\ntypedef " + last + " Last;\ntypedef " + own + " Own;\n";
    }

    private static String codec(DataType type) {
        return switch (type) {
            case INT8 -> "Int8";
            case UINT8 -> "Uint8";
            case INT32 -> "Int32";
            case UINT32 -> "Uint32";
            case INT64 -> "Int64";
            case UINT64 -> "Uint64";
            case FLOAT16 -> "Half";
            case FLOAT32 -> "Float";
            case FLOAT64 -> "Double";
            case BFLOAT16 -> "Bfloat";
            case FLOAT8_E4M3 -> "Float8<3, 7, 0x7e, 0x7f>";
            case FLOAT8_E5M2 -> "Float8<2, 15, 0x7b, 0x7e>";
        };
    }

    private static String read(List<String> names) {
        return names.stream().map(KernelSource::read).collect(Collectors.joining("\n"));
    }

    private static String read(String name) {
        try (InputStream in = KernelSource.class.getResourceAsStream(name)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(name, e);
        }
    }
}

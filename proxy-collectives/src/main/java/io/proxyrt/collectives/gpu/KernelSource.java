/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives.gpu;

import io.proxyrt.core.DataType;
import io.proxyrt.core.RedOp;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The source of the kernels, for one reduction. */
final class KernelSource {
    private static final List<String> BEFORE = List.of("words.cu", "reduction.cu");
    private static final List<String> BEHIND = List.of("connection.cu", "primitives.cu", "ring.cu", "message.cu");

    private KernelSource() {
    }

    /** What reduces nothing. */
    static String plain() {
        return of("Keep", "Keep");
    }

    static String of(DataType type, RedOp op) {
        String codec = codec(type);
        String wrapping = isInt(type) ? "Uint" + 8 * type.sizeBytes() : codec;
        return switch (op) {
            case SUM -> of("Sum", wrapping, "Sum", wrapping);
            case PROD -> of("Product", wrapping, "Product", wrapping);
            case MAX -> of("Max", codec, "Max", codec);
            case MIN -> of("Min", codec, "Min", codec);
            case AVG -> of("Sum", wrapping, isInt(type) ? "Quotient" : "Average", codec);
        };
    }

    private static String of(String step, String stepCodec, String last, String lastCodec) {
        return of(step + "<" + stepCodec + ">", last + "<" + lastCodec + ">");
    }

    private static String of(String step, String last) {
        String chosen = "typedef " + step + " Step;\ntypedef " + last + " Last;\n";
        return Stream.of(BEFORE.stream().map(KernelSource::read), Stream.of(chosen),
                BEHIND.stream().map(KernelSource::read)).flatMap(part -> part).collect(Collectors.joining("\n"));
    }

    private static boolean isInt(DataType type) {
        return switch (type) {
            case FLOAT16, FLOAT32, FLOAT64, BFLOAT16 -> false;
            default -> true;
        };
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
        };
    }

    private static String read(String name) {
        try (InputStream in = KernelSource.class.getResourceAsStream(name)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(name, e);
        }
    }
}

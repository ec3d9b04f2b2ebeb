/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.natives.plugin;

import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * Where an architecture's C puts variable arguments behind five fixed ones that are no floating-point numbers, and how
 * its {@code va_list} finds them there.
 *
 * <pre>
 *  x86-64, System V ABI               AArch64, AAPCS64
 *    0  unsigned gp_offset              0  void *stack
 *    4  unsigned fp_offset              8  void *gr_top       end of the saved registers
 *    8  void *overflow_arg_area        16  void *vr_top       end of the saved vectors
 *   16  void *reg_save_area            24  int gr_offs        from there, negative
 *                                      28  int vr_offs
 *  saved: 6 registers of 8 bytes,     saved: 8 registers of 8 bytes, 8 vectors of 16
 *         then 8 vectors of 16
 * </pre>
 */
enum VariableArguments {
    /** System V. */
    X86_64(1, 8) {
        @Override
        void list(MemorySegment list, MemorySegment saved, MemorySegment stack) {
            list.set(JAVA_INT, 0, FIXED * Long.BYTES);
            list.set(JAVA_INT, 4, X86_64.vectorsAt());
            list.set(JAVA_LONG, 8, stack.address());
            list.set(JAVA_LONG, 16, saved.address());
        }
    },
    /** AAPCS64. */
    AARCH64(3, 8) {
        @Override
        void list(MemorySegment list, MemorySegment saved, MemorySegment stack) {
            list.set(JAVA_LONG, 0, stack.address());
            list.set(JAVA_LONG, 8, saved.address() + AARCH64.vectorsAt());
            list.set(JAVA_LONG, 16, saved.address() + saved.byteSize());
            list.set(JAVA_INT, 24, -AARCH64.registers() * Long.BYTES);
            list.set(JAVA_INT, 28, -AARCH64.vectors() * VECTOR_BYTES);
        }
    },
    /** None that is known: formats stay as they are. */
    UNKNOWN(0, 0) {
        @Override
        void list(MemorySegment list, MemorySegment saved, MemorySegment stack) {
            throw new AssertionError("there is no list");
        }
    };

    private static final int FIXED = 5;
    private static final int LIST_BYTES = 32;
    private static final int VECTOR_BYTES = 16;
    private static final int MAX_TEXT_BYTES = 4096;
    /** A format takes up to three arguments of up to two words each for a conversion. */
    private static final int MAX_CONVERSIONS = 64;
    private static final int MAX_WORDS = MAX_CONVERSIONS * 3 * 2;

    private final int registers;
    private final int vectors;

    VariableArguments(int registers, int vectors) {
        this.registers = registers;
        this.vectors = vectors;
    }

    /** That of {@code os.arch}. */
    static VariableArguments of(String architecture) {
        return switch (architecture) {
            case "amd64" -> X86_64;
            case "aarch64" -> AARCH64;
            default -> UNKNOWN;
        };
    }

    /** How many registers have numbers and pointers that are variable arguments. */
    int registers() {
        return registers;
    }

    /** How many have floating-point numbers. */
    int vectors() {
        return vectors;
    }

    boolean isKnown() {
        return this != UNKNOWN;
    }

    /** Fills a {@code va_list} in. */
    abstract void list(MemorySegment list, MemorySegment saved, MemorySegment stack);

    private int vectorsAt() {
        return (FIXED + registers) * Long.BYTES;
    }

    /**
     * What {@code vsnprintf} makes of a format.
     *
     * @param bare   its text
     * @param format where it is
     * @param inRegisters what registers had
     * @param inVectors   what the registers for floating-point numbers had
     * @param onStack     words of the stack; beyond them, all are zero
     */
    String format(String bare, long format, long[] inRegisters, double[] inVectors, long[] onStack) {
        if (!isKnown() || bare.chars().filter(c -> c == '%').count() > MAX_CONVERSIONS) {
            return bare;
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment saved = arena.allocate(vectorsAt() + (long) vectors * VECTOR_BYTES, VECTOR_BYTES);
            for (int i = 0; i < registers; i++) {
                saved.setAtIndex(JAVA_LONG, FIXED + i, inRegisters[i]);
            }
            for (int i = 0; i < vectors; i++) {
                saved.set(JAVA_DOUBLE, vectorsAt() + (long) i * VECTOR_BYTES, inVectors[i]);
            }
            MemorySegment stack = arena.allocate((long) MAX_WORDS * Long.BYTES, VECTOR_BYTES);
            MemorySegment.copy(onStack, 0, stack, JAVA_LONG, 0, onStack.length);
            MemorySegment list = arena.allocate(LIST_BYTES, Long.BYTES);
            list(list, saved, stack);
            return print(arena, format, list);
        }
    }

    /** Either architecture passes a list by its address. */
    private static String print(Arena arena, long format, MemorySegment list) {
        MemorySegment text = arena.allocate(MAX_TEXT_BYTES);
        try {
            int length = (int) Functions.VSNPRINTF.invokeExact(text.address(), (long) MAX_TEXT_BYTES, format,
                    list.address());
            return length < 0 ? "" : text.getString(0);
        } catch (Throwable t) {
            throw new AssertionError("cannot call vsnprintf this way", t);
        }
    }

    /** Linked when the first text is made. */
    private static final class Functions {
        private static final MethodHandle VSNPRINTF = link();

        @SuppressWarnings("restricted")
        private static MethodHandle link() {
            Linker linker = Linker.nativeLinker();
            return linker.downcallHandle(linker.defaultLookup().findOrThrow("vsnprintf"),
                    FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG));
        }
    }
}

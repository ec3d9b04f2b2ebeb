/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.testkit.device;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/**
 * The suite's kernels, for devices that have modules: the {@linkplain #source source} is in {@code conformance.cu}, and
 * every parameter is 64 bits wide.
 *
 * <pre>{@code
 * extern "C" __global__ void fill(u64 *out, u64 count, u64 first)    // out[i] = first + i
 * extern "C" __global__ void add(u64 *out, u64 *a, u64 *b, u64 count) // out[i] = a[i] + b[i]
 * extern "C" __global__ void hold(volatile u64 *word, u64 limit)     // returns once *word != 0, or limit turns later
 * }</pre>
 *
 * <p>The first two go through the array with all threads of the grid; {@code hold} is launched with one.
 */
public final class ConformanceKernels {
    /** Of the module. */
    public static final String NAME = "proxyrt-conformance";
    /** Of {@link #FILL}. */
    static final String FILL = "fill";
    /** Of {@link #ADD}. */
    static final String ADD = "add";
    /** Of {@link #HOLD}. */
    static final String HOLD = "hold";

    private ConformanceKernels() {
    }

    /**
     * What a GPU's compiler compiles.
     *
     * @return for {@link io.proxyrt.core.device.Device#compile}
     */
    public static String source() {
        try (InputStream stream = ConformanceKernels.class.getResourceAsStream("conformance.cu")) {
            return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}

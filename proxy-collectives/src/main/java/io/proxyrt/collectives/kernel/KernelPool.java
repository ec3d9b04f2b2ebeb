/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives.kernel;

import io.proxyrt.core.device.HostKernel;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;

/** Kernels that a launch is made of. They are used again once it has retired. */
public final class KernelPool {
    private final List<Source<?>> sources;
    /** By source, those that were made, of which each launch takes the first ones. */
    private final List<List<HostKernel>> made;
    private final int[] taken;

    /**
     * Nothing made yet.
     *
     * @param sources of all that launches take, each of another class
     */
    public KernelPool(List<Source<?>> sources) {
        this.sources = sources;
        this.made = sources.stream().<List<HostKernel>>map(source -> new ArrayList<>()).toList();
        this.taken = new int[sources.size()];
    }

    /**
     * Makes kernels.
     *
     * @param kind   their class
     * @param kernels that were not prepared
     * @param <K>    the same
     */
    public record Source<K extends HostKernel>(Class<K> kind, Supplier<K> kernels) {
    }

    /**
     * Begins with the next launch: the last one has retired.
     *
     * @return this
     */
    public KernelPool begin() {
        Arrays.fill(taken, 0);
        return this;
    }

    /**
     * A kernel, to be prepared.
     *
     * @param kind one that there is a source of
     * @param <K>  the same
     * @return none that this launch took before
     */
    public <K extends HostKernel> K take(Class<K> kind) {
        int index = 0;
        while (sources.get(index).kind() != kind) {
            index++;
        }
        List<HostKernel> kernels = made.get(index);
        if (taken[index] == kernels.size()) {
            kernels.add(sources.get(index).kernels().get());
        }
        return kind.cast(kernels.get(taken[index]++));
    }
}

/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.run;

import java.util.List;
import java.util.stream.Stream;

/**
 * Measurements that are compared with each other, and so made one right after the other.
 *
 * @param name for people
 * @param jobs in order
 */
public record Group(String name, List<Job> jobs) {
    /**
     * The same jobs, starting with another.
     *
     * @param turns how many go from the front to the end
     * @return so that no contender is always first
     */
    Group rotated(int turns) {
        int first = jobs.isEmpty() ? 0 : turns % jobs.size();
        return new Group(name, Stream.concat(jobs.subList(first, jobs.size()).stream(),
                jobs.subList(0, first).stream()).toList());
    }
}

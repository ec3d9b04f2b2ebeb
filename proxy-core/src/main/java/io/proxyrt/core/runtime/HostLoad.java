/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.runtime;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.ThreadingMode;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.directory.RuntimeDirectory;

/**
 * Who shares the CPUs of a host, as {@link ThreadingMode#AUTO} needs to know.
 *
 * @param cpus   that this process may use, as many as its cgroup's quota is worth at most
 * @param ranks  of the job on this host, at least 1
 * @param others runtimes of this user that are there besides, of other jobs; they count whether they do anything or not
 */
public record HostLoad(int cpus, int ranks, int others) {
    /**
     * Checks the numbers.
     *
     * @throws ProxyException {@link ProxyResult#INVALID_ARGUMENT} for less than a CPU, a rank, or no other runtime
     */
    public HostLoad {
        if (cpus < 1 || ranks < 1 || others < 0) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT,
                    cpus + " CPUs, " + ranks + " ranks and " + others + " other runtimes of a host");
        }
    }

    /**
     * A rank that knows of no other of its job: all runtimes there are count as others. Reads a folder and some files
     * of {@code /proc}.
     *
     * @param config may say below which folder runtimes are
     * @return as of now
     * @throws ProxyException {@link ProxyResult#INVALID_ARGUMENT} if the configured folder is not this user's alone
     */
    public static HostLoad seen(ProxyConfig config) {
        long others = RuntimeDirectory.list(config).stream().filter(RuntimeDirectory.Entry::isAlive).count();
        return new HostLoad(Runtime.getRuntime().availableProcessors(), 1, (int) others);
    }

    /** All runtimes. */
    int runtimes() {
        return ranks + others;
    }

    /** For people. */
    String owners() {
        return ranks + (ranks == 1 ? " rank" : " ranks")
                + (others == 0 ? "" : " and " + others + (others == 1 ? " other runtime" : " other runtimes"));
    }
}

/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.stat;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.counters.CountersReader;
import io.proxyrt.core.directory.RuntimeDirectory;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Which of this user's runtimes are meant.
 *
 * @param config may say below which folder they are
 * @param wanted a process number or the name of a job; null for all
 */
public record RuntimeChoice(ProxyConfig config, String wanted) {
    /**
     * Those that there are now.
     *
     * @return by rank; empty only if all are wanted
     * @throws ProxyException {@link ProxyResult#INVALID_ARGUMENT} if there is none such
     */
    public List<RuntimeDirectory.Entry> entries() {
        List<RuntimeDirectory.Entry> all = RuntimeDirectory.list(config);
        List<RuntimeDirectory.Entry> chosen = all.stream().filter(this::isWanted).toList();
        if (chosen.isEmpty() && wanted != null) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, "no process and no job '" + wanted
                    + "' has a runtime under " + RuntimeDirectory.place(config) + "; " + (all.isEmpty()
                    ? "there is none at all" : "there are " + all.stream().map(RuntimeChoice::name).distinct()
                            .collect(Collectors.joining(", "))));
        }
        return chosen;
    }

    /**
     * Those that there are now, and all others of their jobs.
     *
     * @return by rank; empty only if all are wanted
     * @throws ProxyException {@link ProxyResult#INVALID_ARGUMENT} if there is none such
     */
    public List<RuntimeDirectory.Entry> jobs() {
        List<RuntimeDirectory.Entry> chosen = entries();
        if (wanted == null) {
            return chosen;
        }
        Set<String> jobs = chosen.stream().map(RuntimeChoice::job).filter(job -> !job.isEmpty())
                .collect(Collectors.toSet());
        return RuntimeDirectory.list(config).stream().filter(entry -> isWanted(entry) || jobs.contains(job(entry)))
                .toList();
    }

    private boolean isWanted(RuntimeDirectory.Entry entry) {
        return wanted == null || wanted.equals(Long.toString(entry.pid())) || wanted.equals(job(entry));
    }

    private static String name(RuntimeDirectory.Entry entry) {
        String job = job(entry);
        return entry.pid() + (job.isEmpty() ? "" : " of " + job);
    }

    private static String job(RuntimeDirectory.Entry entry) {
        try (CountersReader reader = CountersReader.open(entry.counters())) {
            return reader.job();
        } catch (ProxyException e) {
            return "";
        }
    }
}

/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.mapped;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;

/**
 * A process that cannot be taken for another one that gets its number later.
 *
 * @param pid       its number
 * @param start     when it began, in kernel ticks since boot: what {@link ProcessHandle} gives moves when somebody sets
 *                  the clock, and the living would look dead. Elsewhere than on Linux, in milliseconds since 1970
 * @param namespace of its number: the inode of the kernel's PID namespace, 0 where there are none
 */
public record ProcessIdentity(long pid, long start, long namespace) {
    private static final int START_FIELD = 19;
    private static final ProcessIdentity CURRENT = new ProcessIdentity(
            ProcessHandle.current().pid(), start(ProcessHandle.current()), currentNamespace());

    /**
     * The process that runs this code.
     *
     * @return always the same
     */
    public static ProcessIdentity current() {
        return CURRENT;
    }

    /**
     * Whether it still runs. A process of another PID namespace, say a container, cannot be seen from here: it counts
     * as alive.
     *
     * @return false once it has ended, though its number may be in use again
     */
    public boolean isAlive() {
        return namespace != CURRENT.namespace
                || ProcessHandle.of(pid).filter(process -> start(process) == start).isPresent();
    }

    private static long start(ProcessHandle process) {
        try {
            String status = Files.readString(Path.of("/proc/" + process.pid() + "/stat"));
            return Long.parseLong(status.substring(status.lastIndexOf(')') + 2).split(" ")[START_FIELD]);
        } catch (IOException | RuntimeException e) {
            return process.info().startInstant().map(Instant::toEpochMilli).orElse(0L);
        }
    }

    private static long currentNamespace() {
        try {
            String link = Files.readSymbolicLink(Path.of("/proc/self/ns/pid")).toString();
            return Long.parseLong(link.replaceAll("[^0-9]", ""));
        } catch (IOException | UnsupportedOperationException | NumberFormatException e) {
            return 0;
        }
    }
}

/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;

/**
 * A process that cannot be taken for another one that gets its number later.
 *
 * @param pid       its number
 * @param start     when it began, in kernel ticks since boot: what {@link ProcessHandle} gives moves when a user sets
 *                  the clock, and the living would look dead. Elsewhere than on Linux, in milliseconds since 1970
 * @param namespace of its number: the inode of the kernel's PID namespace, 0 where there are none
 */
public record ProcessIdentity(long pid, long start, long namespace) {
    private static final int STATE_FIELD = 0;
    private static final int START_FIELD = 19;
    /** States of a process that has ended, but that its parent has not asked for yet. */
    private static final String ENDED_STATES = "ZXx";
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
     * Whether its number means anything here.
     *
     * @return false for a process of another PID namespace, say a container
     */
    public boolean isVisible() {
        return namespace == CURRENT.namespace;
    }

    /**
     * Whether it still runs. A process that {@linkplain #isVisible() cannot be seen} from here counts as alive.
     *
     * @return false once it has ended, though its number may be in use again, or its parent may not know yet
     */
    public boolean isAlive() {
        return equals(CURRENT) || !isVisible()
                || ProcessHandle.of(pid).filter(process -> start(process) == start).isPresent() && !hasEnded();
    }

    private boolean hasEnded() {
        try {
            return ENDED_STATES.contains(status(pid)[STATE_FIELD]);
        } catch (IOException | RuntimeException e) {
            return false;
        }
    }

    private static long start(ProcessHandle process) {
        try {
            return Long.parseLong(status(process.pid())[START_FIELD]);
        } catch (IOException | RuntimeException e) {
            return process.info().startInstant().map(Instant::toEpochMilli).orElse(0L);
        }
    }

    /** What stands behind the name, which may have any characters in it. */
    private static String[] status(long pid) throws IOException {
        String status = Files.readString(Path.of("/proc/" + pid + "/stat"));
        return status.substring(status.lastIndexOf(')') + 2).split(" ");
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

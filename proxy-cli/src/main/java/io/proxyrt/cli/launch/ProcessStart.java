/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.launch;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Optional;

/**
 * A process and when it began, so that another one with the same id is not taken for it.
 *
 * @param pid   its id
 * @param start in the kernel's ticks since boot, which no change of the clock touches; elsewhere than on Linux, epoch
 *              milliseconds
 */
record ProcessStart(long pid, long start) {
    private static final int START_FIELD = 19;

    static ProcessStart self() {
        long pid = ProcessHandle.current().pid();
        return new ProcessStart(pid, start(pid));
    }

    /** What {@code pid start} says. */
    static Optional<ProcessStart> parse(String text) {
        String[] parts = text.split(" ");
        return parts.length == 2 && parts[0].matches("\\d{1,18}") && parts[1].matches("\\d{1,18}")
                ? Optional.of(new ProcessStart(Long.parseLong(parts[0]), Long.parseLong(parts[1]))) : Optional.empty();
    }

    boolean isAlive() {
        return ProcessHandle.of(pid).filter(ProcessHandle::isAlive).isPresent() && start(pid) == start;
    }

    /** The 22nd field of the status line: the 20th behind the name, which may hold blanks and brackets. */
    private static long start(long pid) {
        try {
            String status = Files.readString(Path.of("/proc/" + pid + "/stat"));
            return Long.parseLong(status.substring(status.lastIndexOf(')') + 2).split(" ")[START_FIELD]);
        } catch (IOException | RuntimeException e) {
            return ProcessHandle.of(pid).flatMap(process -> process.info().startInstant()).map(Instant::toEpochMilli)
                    .orElse(0L);
        }
    }
}

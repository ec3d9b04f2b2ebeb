/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bootstrap;

import io.proxyrt.core.ProcessIdentity;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;

/**
 * The process at one side of a link, and the kernel that runs it.
 *
 * @param process its number, start and PID namespace
 * @param boot    equal for what one kernel has run since it began; 0 if that is not known
 */
record Origin(ProcessIdentity process, long boot) {
    static final int BYTES = 4 * Long.BYTES;
    private static final Path BOOT_ID = Path.of("/proc/sys/kernel/random/boot_id");
    private static final Origin OWN = new Origin(ProcessIdentity.current(), ownBoot());

    static Origin own() {
        return OWN;
    }

    static Origin read(MessageReader in) {
        return new Origin(new ProcessIdentity(in.readLong(), in.readLong(), in.readLong()), in.readLong());
    }

    void put(ByteBuffer out) {
        out.putLong(process.pid()).putLong(process.start()).putLong(process.namespace()).putLong(boot);
    }

    long pid() {
        return process.pid();
    }

    /** Whether it has ended for sure: that can be seen on its own host, from within its own PID namespace. */
    boolean isKnownDead() {
        return boot != 0 && boot == OWN.boot && !process.isAlive();
    }

    private static long ownBoot() {
        try {
            return UUID.nameUUIDFromBytes(Files.readString(BOOT_ID).getBytes(StandardCharsets.UTF_8))
                    .getMostSignificantBits();
        } catch (IOException e) {
            return 0;
        }
    }
}

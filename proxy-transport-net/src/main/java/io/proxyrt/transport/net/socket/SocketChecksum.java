/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.socket;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/** CRC32C over messages in registered memory. For one thread; allocates nothing. */
final class SocketChecksum {
    private final CRC32C crc = new CRC32C();

    /** Of {@code bytes} bytes from offset on. */
    int of(SocketMemory memory, long offset, long bytes) {
        crc.reset();
        long done = 0;
        while (done < bytes) {
            ByteBuffer view = memory.view(0, offset + done, bytes - done);
            done += view.remaining();
            crc.update(view);
        }
        return (int) crc.getValue();
    }
}

/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.device;

import io.proxyrt.core.OwnedFd;

/**
 * A device's memory for a network adapter's driver. Some devices export all of an allocation whatever range is asked
 * for, so the range's place in it comes with the descriptor.
 *
 * @param fd     of the dma-buf
 * @param offset of the range that was asked for, in bytes from the beginning of what the descriptor stands for
 */
public record DmaBuf(OwnedFd fd, long offset) implements AutoCloseable {
    /** Closes the descriptor; what was registered by it stays registered. Idempotent. */
    @Override
    public void close() {
        fd.close();
    }
}

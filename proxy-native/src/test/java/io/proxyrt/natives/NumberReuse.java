/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.natives;

import io.proxyrt.core.OwnedFd;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.platform.Descriptors;
import io.proxyrt.core.platform.Platform;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.ToLongFunction;

/** Closes descriptors while they are used, and opens other memory under the same numbers right away. */
final class NumberReuse {
    /** Of memory that is meant. */
    static final long BYTES = 8;

    private static final long OTHER_BYTES = 16;
    private static final long TIME_NS = TimeUnit.SECONDS.toNanos(2);
    private static final Descriptors DESCRIPTORS = Platform.find().descriptors();

    private NumberReuse() {
    }

    /** The first size that is not {@link #BYTES}; that if all are. */
    static long wrongSize(ToLongFunction<OwnedFd> use) throws InterruptedException {
        AtomicReference<OwnedFd> meant = new AtomicReference<>(DESCRIPTORS.memfd("meant", BYTES));
        AtomicBoolean isOver = new AtomicBoolean();
        Thread owner = Thread.ofPlatform().start(() -> {
            while (!isOver.get()) {
                meant.get().close();
                DESCRIPTORS.memfd("other", OTHER_BYTES).close();
                meant.set(DESCRIPTORS.memfd("meant", BYTES));
            }
        });
        try {
            long start = System.nanoTime();
            long bytes = BYTES;
            while (bytes == BYTES && System.nanoTime() - start < TIME_NS) {
                bytes = size(use, meant.get());
            }
            return bytes;
        } finally {
            isOver.set(true);
            owner.join();
            meant.get().close();
        }
    }

    private static long size(ToLongFunction<OwnedFd> use, OwnedFd fd) {
        try {
            return use.applyAsLong(fd);
        } catch (ProxyException e) {
            if (e.result() != ProxyResult.INVALID_USAGE) {
                throw e;
            }
            return BYTES;
        }
    }
}

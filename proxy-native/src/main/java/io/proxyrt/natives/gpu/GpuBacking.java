/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.natives.gpu;

import io.proxyrt.core.OwnedFd;

/** What the driver gave for memory, and how it gets that back. */
sealed interface GpuBacking {
    /** Gives it back. The device is the calling thread's, and no stream uses it. */
    void free(GpuApi api);

    /** Whether the driver waits for all that runs on the device when it gets it back. */
    default boolean isBlocking() {
        return true;
    }

    /** Tells other processes, at once, that it is gone. */
    default void revoke() {
        // Most of it was not exported.
    }

    /** Mapped for one device after the other. */
    sealed interface Mapped extends GpuBacking {
        /** Where, for all of them. */
        long address();

        /** As much as the driver maps, which is more than was asked for. */
        long bytes();
    }

    /** The device's own. */
    record Allocated(long base) implements GpuBacking {
        @Override
        public void free(GpuApi api) {
            api.free(base);
        }
    }

    /** The host's, pinned. */
    record Pinned(long base) implements GpuBacking {
        @Override
        public void free(GpuApi api) {
            api.freeHost(base);
        }
    }

    /** Memory of the host with another owner, which was pinned where it is. */
    record Registered(long host) implements GpuBacking {
        @Override
        public void free(GpuApi api) {
            api.hostUnregister(host);
        }

        /** It may wait; but its owner does anyway, and not for what streams get meanwhile. */
        @Override
        public boolean isBlocking() {
            return false;
        }
    }

    /**
     * Physical memory, mapped.
     *
     * @param handle to export it by
     */
    record Shareable(long handle, long address, long bytes) implements Mapped {
        @Override
        public void free(GpuApi api) {
            api.memUnmap(address, bytes);
            api.memRelease(handle);
        }
    }

    /** Another process's physical memory, mapped. */
    record Imported(long address, long bytes) implements Mapped {
        @Override
        public void free(GpuApi api) {
            api.memUnmap(address, bytes);
        }
    }

    /**
     * The device's own, known to other processes by a handle.
     *
     * @param token is open as long as the handle is good
     */
    record Exported(long base, byte[] handle, OwnedFd token) implements GpuBacking {
        @Override
        public void free(GpuApi api) {
            api.free(base);
        }

        @Override
        public void revoke() {
            token.close();
        }
    }

    /** Another library's of this process. */
    record Foreign() implements GpuBacking {
        @Override
        public void free(GpuApi api) {
            // It stays its owner's.
        }

        @Override
        public boolean isBlocking() {
            return false;
        }
    }

    /** Another process's, opened by a handle. */
    record Opened(long base) implements GpuBacking {
        @Override
        public void free(GpuApi api) {
            api.ipcCloseMemHandle(base);
        }
    }
}

/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.device;

/** Where memory lies, and who owns what is behind it. */
public enum DeviceMemoryKind {
    /** The device's own: {@link Device#allocate}, {@link Device#allocateShareable}. */
    DEVICE,
    /** The host's, pinned and mapped: {@link Device#allocateHost}. */
    HOST,
    /** The host's, which the device does not own: {@link Device#register}. */
    REGISTERED,
    /** Another process's: {@link Device#importFd}. */
    IMPORTED,
    /** Another library's of this process, and the device's or the host's: {@link Device#wrap}. */
    FOREIGN
}

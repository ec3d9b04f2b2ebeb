/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core;

/** Whose copy moves data between CPUs. */
public enum CopyChoice {
    /** The one that is faster on copies that each connection has made, for each size. */
    AUTO,
    /** The JVM's. */
    JVM,
    /** The C library's, from 4 KiB on. */
    NATIVE
}

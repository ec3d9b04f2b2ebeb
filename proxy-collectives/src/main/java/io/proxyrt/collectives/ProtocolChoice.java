/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

/** Which protocol collectives use. */
public enum ProtocolChoice {
    /** By size. */
    AUTO,
    /** Lines of 16 bytes, half of them flags. */
    LL,
    /** Lines of 64 bytes, an eighth of them flags. */
    LL128,
    /** Plain data. */
    SIMPLE
}

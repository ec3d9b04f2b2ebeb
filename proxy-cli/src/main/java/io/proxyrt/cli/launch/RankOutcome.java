/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.launch;

/** How a rank ended. */
public enum RankOutcome {
    /** It did its work, and all was right. */
    OK,
    /** It did its work, and data were wrong; said by rank 0 alone. */
    WRONG_DATA,
    /** It was told to end. */
    INTERRUPTED,
    /** Something went wrong, and was said. */
    FAILED
}

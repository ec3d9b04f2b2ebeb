/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core;

/** How ops get from the posters to the progress agent. All behave alike, but for what they cost and who can post. */
public enum OpsPoolKind {
    /** A lane for each poster: one producer, one consumer, no lock; posters may live in other processes. */
    LANES,
    /** Lanes whose posts go through one queue: they are fetched in the order of posting, across all posters. */
    MPSC,
    /** One list under a mutex, as in RCCL: what the others are measured against, and checked against. */
    LOCKED
}

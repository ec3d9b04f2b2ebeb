/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.collnet.aggregation;

/** What a switch counts. */
public enum SwitchCounter {
    /** Groups that are there now. */
    JOBS,
    /** Connections of groups that are there now. */
    LINKS,
    /** Calls whose data have come from all participants. */
    CALLS,
    /** Bytes of payload that came. */
    BYTES_IN,
    /** Bytes of payload that went out. */
    BYTES_OUT,
    /** Bytes of operands that were combined into others. */
    BYTES_REDUCED,
    /** Connections that were refused. */
    REFUSED,
    /** Times that a group had to wait for a slow reader. */
    BACK_PRESSURE,
    /** Groups that ended with a failure. */
    ABORTED,
    /** Bytes of memory that groups have now. */
    MEMORY
}

/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.collnet.aggregation;

import io.proxyrt.core.counters.Counter;
import io.proxyrt.core.counters.CounterLabel;

/** What a switch counts. */
public enum SwitchCounter implements CounterLabel {
    /** Groups that are there now. */
    JOBS("switch jobs", Counter.Kind.GAUGE),
    /** Connections of groups that are there now. */
    LINKS("switch links", Counter.Kind.GAUGE),
    /** Calls whose data have come from all participants. */
    CALLS("switch calls", Counter.Kind.TOTAL),
    /** Bytes of payload that came. */
    BYTES_IN("switch bytes in", Counter.Kind.TOTAL),
    /** Bytes of payload that went out. */
    BYTES_OUT("switch bytes out", Counter.Kind.TOTAL),
    /** Bytes of operands that were combined into others. */
    BYTES_REDUCED("switch bytes reduced", Counter.Kind.TOTAL),
    /** Connections that were refused. */
    REFUSED("switch refused", Counter.Kind.TOTAL),
    /** Times that a group had to wait for a slow reader. */
    BACK_PRESSURE("switch back-pressure", Counter.Kind.TOTAL),
    /** Groups that ended with a failure. */
    ABORTED("switch jobs aborted", Counter.Kind.TOTAL),
    /** Bytes of memory that groups have now. */
    MEMORY("switch memory bytes", Counter.Kind.GAUGE),
    /** Chunks of results that a participant did not read before its connection was closed. */
    LOST("switch chunks lost", Counter.Kind.TOTAL);

    private final String label;
    private final Counter.Kind kind;

    SwitchCounter(String label, Counter.Kind kind) {
        this.label = label;
        this.kind = kind;
    }

    @Override
    public String label() {
        return label;
    }

    @Override
    public Counter.Kind kind() {
        return kind;
    }
}

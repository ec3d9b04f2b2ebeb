/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.jfr;

import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** How a communicator chooses algorithms and protocols by size. */
@Name("io.proxyrt.TuningChoice")
@Label("Tuning Choice")
@Description("How a communicator chooses algorithms and protocols by size")
@StackTrace(false)
public final class TuningEvent extends JobEvent {
    static final TuningEvent PROBE = new TuningEvent();

    /** For people, as errors have it. */
    @Label("Communicator")
    public String communicator;

    /** For people. */
    @Label("Choice")
    public String choice;

    /** One that is not recorded yet. */
    public TuningEvent() {
    }
}

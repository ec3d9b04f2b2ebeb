/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.jfr;

import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Enabled;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** An op was appended to the ops pool: by a thread of the rank's process, or of another one. */
@Name("io.proxyrt.OpPosted")
@Label("Op Posted")
@Description("An op was appended to the ops pool of a rank")
@Enabled(false)
@StackTrace(false)
public final class OpPostedEvent extends RankEvent {
    static final OpPostedEvent PROBE = new OpPostedEvent();

    /** Its id, with generation. */
    @Label("Connection")
    public long connection;

    /** The grouping key. */
    @Label("Op Count")
    public long opCount;

    /** At the other end. */
    @Label("Peer")
    public int peer;

    /** Of the communicator. */
    @Label("Channel")
    public int channel;

    /** That it takes. */
    @Label("Steps")
    public int steps;

    /** Most bytes of a slice. */
    @Label("Slice Size")
    @DataAmount
    public long sliceBytes;

    /** One that is not recorded yet. */
    public OpPostedEvent() {
    }
}

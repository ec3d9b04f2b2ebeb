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

/** A call of a communicator, from the call to when its data are there. */
@Name("io.proxyrt.Collective")
@Label("Collective")
@Description("A call of a communicator, from the call to when its data are there")
@StackTrace(false)
@Enabled(false)
public final class CollectiveEvent extends JobEvent {
    static final CollectiveEvent PROBE = new CollectiveEvent();

    /** For people, as errors have it. */
    @Label("Communicator")
    public String communicator;

    /** Of the call among the communicator's; 0 for a message. */
    @Label("Number")
    public long number;

    /** What was called. */
    @Label("Function")
    public String function;

    /** Of elements. */
    @Label("Count")
    public long count;

    /** Of the elements; null for a message. */
    @Label("Type")
    public String type;

    /** Null if nothing is reduced. */
    @Label("Reduction")
    public String reduction;

    /** Of the buffer, or of a rank's part. */
    @Label("Size")
    @DataAmount
    public long bytes;

    /** Of a message, or -1. */
    @Label("Peer")
    public int peer;

    /** By which it went; null for what consists of messages, moves nothing, or was not launched. */
    @Label("Algorithm")
    public String algorithm;

    /** Whether it has failed, or was given up. */
    @Label("Failed")
    public boolean isFailed;

    /** One that is not recorded yet. */
    public CollectiveEvent() {
    }
}

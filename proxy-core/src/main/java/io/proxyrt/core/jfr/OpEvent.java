/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.jfr;

import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Threshold;

/** An op, from when it was fetched to its end, good or bad; while it waits for another of its connection, too. */
@Name("io.proxyrt.Op")
@Label("Op")
@Description("An op of the proxy, from when it was fetched to its end")
@StackTrace(false)
@Threshold("10 ms")
public final class OpEvent extends ActiveOpEvent {
    static final OpEvent PROBE = new OpEvent();

    /** What it is a part of. */
    @Label("Function")
    public String function;

    /** How steps travel. */
    @Label("Protocol")
    public String protocol;

    /** That it moved, as far as its transport tells. */
    @Label("Size")
    @DataAmount
    public long bytes;

    /** SUCCESS, the ProxyResult that ended it, or DROPPED if it was given up for no failure of its own. */
    @Label("Result")
    public String result;

    /** For people; null if there is none. */
    @Label("Error")
    public String error;

    /** One that is not recorded yet. */
    public OpEvent() {
    }
}

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

/** A call to the service, from when it came to its answer. */
@Name("io.proxyrt.RpcCall")
@Label("RPC Call")
@Description("A call of a rank to the service of this one, from when it came to its answer")
@StackTrace(false)
@Threshold("10 ms")
public final class RpcCallEvent extends JobEvent {
    static final RpcCallEvent PROBE = new RpcCallEvent();

    /** What is asked for. */
    @Label("Type")
    public String type;

    /** Who asks. */
    @Label("Caller")
    public int caller;

    /** Its id, with generation. */
    @Label("Connection")
    public long connection;

    /** Of the request. */
    @Label("Request Size")
    @DataAmount
    public int requestBytes;

    /** A ProxyResult, by name. */
    @Label("Result")
    public String result;

    /** For people; null if there is none. */
    @Label("Error")
    public String error;

    /** One that is not recorded yet. */
    public RpcCallEvent() {
    }
}

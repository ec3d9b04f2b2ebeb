/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.jfr;

import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** A socket of a connection broke, from then to when it is back, given up, or closed with its connection. */
@Name("io.proxyrt.Reconnect")
@Label("Reconnect")
@Description("A socket of a connection broke, until it was back, given up, or closed with its connection")
@StackTrace(false)
public final class ReconnectEvent extends RankEvent {
    static final ReconnectEvent PROBE = new ReconnectEvent();

    /** For people. */
    @Label("Connection")
    public String connection;

    /** Why it broke. */
    @Label("Cause")
    public String cause;

    /** Or given up, or closed. */
    @Label("Back")
    public boolean isBack;

    /** One that is not recorded yet. */
    public ReconnectEvent() {
    }
}

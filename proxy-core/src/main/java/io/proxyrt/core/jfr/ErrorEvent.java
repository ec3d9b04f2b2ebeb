/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.jfr;

import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Throttle;

/** Something failed: what asyncResult is told. */
@Name("io.proxyrt.ProxyError")
@Label("Error")
@Description("Something failed at a rank")
@Throttle("100/s")
public final class ErrorEvent extends JobEvent {
    static final ErrorEvent PROBE = new ErrorEvent();

    /** A ProxyResult, by name. */
    @Label("Result")
    public String result;

    /** For people. */
    @Label("Message")
    public String message;

    /** Whether the runtime had not failed before. */
    @Label("First")
    public boolean isFirst;

    /** One that is not recorded yet. */
    public ErrorEvent() {
    }
}

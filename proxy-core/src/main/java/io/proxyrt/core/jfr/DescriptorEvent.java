/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.jfr;

import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** File descriptors of memory went to another rank, or came from it. */
@Name("io.proxyrt.Descriptor")
@Label("Descriptor")
@Description("File descriptors went to a rank or came from it")
@StackTrace(false)
public final class DescriptorEvent extends JobEvent {
    static final DescriptorEvent PROBE = new DescriptorEvent();

    /** Who gets them, or gave them. */
    @Label("Peer")
    public int peer;

    /** SEND or RECV. */
    @Label("Direction")
    public String direction;

    /** How many. */
    @Label("Count")
    public int count;

    /** One that is not recorded yet. */
    public DescriptorEvent() {
    }
}

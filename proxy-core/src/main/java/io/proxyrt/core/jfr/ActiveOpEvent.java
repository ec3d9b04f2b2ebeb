/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.jfr;

import jdk.jfr.Label;

/** Something that happened to an op of a progress agent. */
public abstract class ActiveOpEvent extends JobEvent {
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

    /** Of the data; null if there is no such connection. */
    @Label("Direction")
    public String direction;

    /** That carries them; null if there is no such connection. */
    @Label("Transport")
    public String transport;

    /** That it takes. */
    @Label("Steps")
    public int steps;

    /** That are done. */
    @Label("Steps Done")
    public long done;

    ActiveOpEvent() {
    }
}

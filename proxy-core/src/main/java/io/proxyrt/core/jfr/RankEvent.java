/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.jfr;

import jdk.jfr.Category;
import jdk.jfr.Event;
import jdk.jfr.Label;

/** Something that happened at a rank. */
@Category("proxyrt")
public abstract class RankEvent extends Event {
    /** Of the runtime. */
    @Label("Rank")
    public int rank;

    RankEvent() {
    }
}

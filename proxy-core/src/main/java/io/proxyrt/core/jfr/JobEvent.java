/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.jfr;

import jdk.jfr.Label;

/** Something that happened at a rank of a job that is known by name. */
public abstract class JobEvent extends RankEvent {
    /** Its name. */
    @Label("Job")
    public String job;

    JobEvent() {
    }
}

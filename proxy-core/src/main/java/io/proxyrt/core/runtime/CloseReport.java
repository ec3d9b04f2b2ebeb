/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.runtime;

import java.time.Duration;
import java.util.List;

/**
 * How closing a runtime went. It always ends within its time; what it could not finish stands here.
 *
 * @param abandoned ops that were dropped and threads that did not end, a line each; empty if all went well
 * @param took      how long it took
 */
public record CloseReport(List<String> abandoned, Duration took) {
    /**
     * Whether everything was finished and given back.
     *
     * @return true if nothing was abandoned
     */
    public boolean isClean() {
        return abandoned.isEmpty();
    }
}

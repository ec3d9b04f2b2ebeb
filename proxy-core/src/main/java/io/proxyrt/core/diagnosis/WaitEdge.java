/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.diagnosis;

import java.time.Duration;

/**
 * That a rank waits.
 *
 * @param from  the rank that waits
 * @param to    the rank that it waits for; itself, if that is a kernel or a thread of its own
 * @param what  it waits for, for people
 * @param still since it last moved
 */
public record WaitEdge(int from, int to, String what, Duration still) {
}

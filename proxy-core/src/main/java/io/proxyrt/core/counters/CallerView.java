/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.counters;

import java.util.Optional;

/**
 * What a communicator was asked for, as the mapped file has it.
 *
 * @param name     of the communicator
 * @param last     its last call; empty if there was none, or events are not kept
 * @param finished number of the last collective that its caller knows to have ended
 * @param isIdle   whether its caller knows that all has ended, messages too
 */
public record CallerView(String name, Optional<Event> last, long finished, boolean isIdle) {
}

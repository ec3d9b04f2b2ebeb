/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * What a runtime shows to the outside. Counters live in a mapped file, so that another process can read them while the
 * runtime is stuck or after it was killed; {@link io.proxyrt.core.counters.CountersReader} does. Each counter has one
 * writing thread: an update is a plain load and a release store, no locked instruction.
 */
package io.proxyrt.core.counters;


/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * Meters of Micrometer for runtimes: {@link io.proxyrt.metrics.micrometer.CounterMeters} reads what a runtime counts
 * anyway, {@link io.proxyrt.metrics.micrometer.EventMeters} listens to Flight Recorder.
 */
package io.proxyrt.metrics.micrometer;

/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.perf;

import io.proxyrt.collectives.TuningProfile;
import java.nio.file.Path;
import java.time.Duration;

/**
 * What to measure for a profile, the same at all ranks.
 *
 * @param transport between the ranks: SHM or NET
 * @param duration  of all rounds, the last of which is finished
 * @param file      with the {@link TuningProfile} that rank 0 puts the outcome into
 */
public record TunePlan(String transport, Duration duration, Path file) {
}

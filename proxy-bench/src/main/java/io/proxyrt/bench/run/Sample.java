/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.run;

/**
 * One value, as one program found it.
 *
 * @param round      from 1
 * @param experiment of the {@link Job}
 * @param scenario   of the job, or of the part of it that the program named
 * @param contender  of the job
 * @param metric     with its unit at the end
 * @param value      the value
 */
public record Sample(int round, String experiment, String scenario, String contender, String metric, double value) {
}

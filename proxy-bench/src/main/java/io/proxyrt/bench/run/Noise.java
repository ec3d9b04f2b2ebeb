/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.run;

/**
 * What was going on while a group of measurements ran.
 *
 * @param round     from 1
 * @param group     its name
 * @param c2cBefore nanoseconds of a cache line's round trip before it; NaN if unknown
 * @param c2cAfter  the same after it
 * @param others    per cent of one CPU that other programs used meanwhile; NaN if unknown
 */
public record Noise(int round, String group, double c2cBefore, double c2cAfter, double others) {
}

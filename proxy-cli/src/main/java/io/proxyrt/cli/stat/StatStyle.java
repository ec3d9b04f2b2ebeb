/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.stat;

import io.proxyrt.cli.view.Palette;

/**
 * How to show runtimes.
 *
 * @param withZeros   whether counters are shown that were 0 at all ranks for as long as they were watched
 * @param withMemory  whether each connection's memory is shown too
 * @param withTraffic whether what each connection has carried is shown too
 * @param isTerminal  whether a screen can be cleared
 * @param palette     colours
 */
public record StatStyle(boolean withZeros, boolean withMemory, boolean withTraffic, boolean isTerminal,
        Palette palette) {
}

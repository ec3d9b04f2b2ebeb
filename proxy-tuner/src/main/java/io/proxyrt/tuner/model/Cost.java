/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.tuner.model;

/**
 * What a way costs.
 *
 * @param latencyUs   of a call, whatever its size
 * @param bandwidthGBs that a call's bytes have after that; more than 0
 */
public record Cost(double latencyUs, double bandwidthGBs) {
    /**
     * With another latency.
     *
     * @param factor of the latency
     * @return the same bandwidth
     */
    Cost slowedBy(double factor) {
        return new Cost(latencyUs * factor, bandwidthGBs);
    }

    /**
     * With another bandwidth.
     *
     * @param factor of the bandwidth
     * @return the same latency
     */
    Cost scaledBy(double factor) {
        return new Cost(latencyUs, bandwidthGBs * factor);
    }
}

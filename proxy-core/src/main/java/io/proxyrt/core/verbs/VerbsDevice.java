/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.verbs;

/**
 * What a device can do: the part of {@code ibv_device_attr} that a network looks at.
 *
 * @param firmware    its version
 * @param guid        tells devices of a fabric apart
 * @param vendorId    of the PCI vendor
 * @param maxMrBytes  most bytes of a memory region
 * @param maxMrs      most memory regions
 * @param maxQps      most queue pairs
 * @param maxWrs      most work requests in one queue of a queue pair
 * @param maxSges     most pieces of memory in one work request
 * @param maxCqes     most entries of a completion queue
 * @param maxReads    most RDMA reads that a queue pair answers at once
 * @param ports       how many ports it has
 */
public record VerbsDevice(String firmware, long guid, int vendorId, long maxMrBytes, int maxMrs, int maxQps, int maxWrs,
        int maxSges, int maxCqes, int maxReads, int ports) {
}

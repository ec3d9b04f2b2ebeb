/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.device;

/**
 * What a device is, as its driver says. Immutable.
 *
 * @param kind         of device, such as {@code host}, {@code cuda}, {@code hip}
 * @param model        for people, such as {@code AMD Instinct MI300X}; empty if it does not say
 * @param architecture what kernels are compiled for, such as {@code gfx942}, {@code sm_90}, {@code amd64}
 * @param pciId        such as {@code 0000:c1:00.0}; empty if it is no PCI device
 * @param numaNode     the one that it is closest to; -1 if there is none such, or it does not say
 * @param memoryBytes  how much it has; 0 if it does not say
 * @param limits       of kernels, copies and memory
 */
public record DeviceAttributes(String kind, String model, String architecture, String pciId, int numaNode,
        long memoryBytes, DeviceLimits limits) {
    /**
     * All that can be said of a device that does not say anything.
     *
     * @param name its name, whose part before the colon is its kind
     * @return nothing but that
     */
    public static DeviceAttributes unknown(String name) {
        return new DeviceAttributes(name.replaceAll(":.*", ""), "", System.getProperty("os.arch"), "", -1, 0,
                new DeviceLimits(1, 1, 1, 1, 0, 1));
    }
}

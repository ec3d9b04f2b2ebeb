/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.device.host;

/**
 * Kernels of the host device, which are Java. A provider of {@link java.util.ServiceLoader}, which {@link
 * HostDevice#loadModule(java.lang.foreign.MemorySegment)} finds by its name; or a user's own, given to {@link
 * HostDevice#loadModule(HostModule)}. Any thread.
 */
public interface HostModule {
    /**
     * What it is loaded by.
     *
     * @return not empty
     */
    String name();

    /**
     * One of its programs.
     *
     * @param kernel its name
     * @return null if there is none such
     */
    HostProgram program(String kernel);
}

/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.device.host;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.device.DeviceKernel;
import io.proxyrt.core.device.DeviceModule;

/** A module of Java's that a host device has loaded. */
final class HostDeviceModule implements DeviceModule {
    private final HostDevice device;
    private final HostModule module;
    private volatile boolean isClosed;

    HostDeviceModule(HostDevice device, HostModule module) {
        this.device = device;
        this.module = module;
    }

    @Override
    public DeviceKernel kernel(String name) {
        HostProgram program = isClosed ? null : module.program(name);
        if (program == null) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, device.name() + ": the module " + module.name()
                    + (isClosed ? " is closed" : " has no kernel " + name));
        }
        return new Kernel(this, name, program);
    }

    @Override
    public void close() {
        isClosed = true;
    }

    /** A kernel of the host device. */
    record Kernel(HostDeviceModule module, String name, HostProgram program) implements DeviceKernel {
        /** Whether a device may launch it. */
        boolean isOf(HostDevice device) {
            return module.device == device && !module.isClosed;
        }

        @Override
        public String toString() {
            return module.module.name() + "." + name;
        }
    }
}

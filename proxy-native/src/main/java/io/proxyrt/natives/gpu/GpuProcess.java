/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.natives.gpu;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.Subsystem;
import org.slf4j.Logger;

/**
 * What all devices of a driver share in this process: the threads' current devices, where memory lies, and what waits
 * to be given back. One for each driver.
 */
final class GpuProcess {
    private static final Logger LOGGER = Subsystem.INIT.logger();
    private static final ThreadLocal<Current> CURRENT = ThreadLocal.withInitial(Current::new);

    private final GpuApi api;
    private final GpuReclaimer reclaimer = new GpuReclaimer(this);
    private final GpuAddresses addresses = new GpuAddresses();

    GpuProcess(GpuApi api) {
        this.api = api;
    }

    /** What a thread's driver was told last. Calls of other code, past this library, are not seen here. */
    private static final class Current {
        private GpuProcess process;
        private int ordinal;
    }

    GpuApi api() {
        return api;
    }

    GpuReclaimer reclaimer() {
        return reclaimer;
    }

    GpuAddresses addresses() {
        return addresses;
    }

    String name(int ordinal) {
        return api.kind() + ":" + ordinal;
    }

    /** Whether the calling thread's calls are for a device. Neither blocks nor allocates but at a thread's first. */
    boolean isCurrent(int ordinal) {
        Current current = CURRENT.get();
        return current.process == this && current.ordinal == ordinal;
    }

    /** Makes the calling thread's calls be for a device, whatever was its current one. */
    void enter(int ordinal) {
        checkThread(ordinal);
        Current current = CURRENT.get();
        current.process = null;
        api.setDevice(ordinal);
        current.process = this;
        current.ordinal = ordinal;
    }

    /** Gives the calling thread a current device, whichever, unless it has one; a device that is lost it cannot get. */
    void attach(int ordinal) {
        if (CURRENT.get().process != this) {
            try {
                enter(ordinal);
            } catch (ProxyException e) {
                LOGGER.debug("{}: {}", name(ordinal), e.getMessage());
            }
        }
    }

    /** The current device is the carrier's, so that a virtual thread finds another one after each of its pauses. */
    void checkThread(int ordinal) {
        if (Thread.currentThread().isVirtual()) {
            throw new ProxyException(ProxyResult.INVALID_USAGE, name(ordinal) + " is called by "
                    + Thread.currentThread() + ", and virtual threads lose the driver's current device; call it from"
                    + " a platform thread");
        }
    }
}

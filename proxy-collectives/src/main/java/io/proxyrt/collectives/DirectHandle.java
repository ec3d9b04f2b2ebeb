/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.Subsystem;
import io.proxyrt.core.device.DeviceMemory;
import io.proxyrt.core.runtime.PeerRegistrar;
import io.proxyrt.core.runtime.ProxyState;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;

/**
 * By what handle the kernels of one peer know a piece of this rank's memory. The peer's proxy learns of the memory when
 * it is first sent from. A peer whose caller drives it may be busy elsewhere: then data go through slots, and it is
 * asked again later, ever more seldom. Confined to the caller's thread.
 */
final class DirectHandle {
    private static final Logger LOG = Subsystem.REG.logger();
    private static final Duration PATIENCE = Duration.ofMillis(100);

    private final ProxyState proxy;
    private final PeerRegistrar registrar;
    private final DeviceMemory memory;
    private final int peer;
    private CompletableFuture<Long> pending;
    private long handle;
    private boolean isRefused;
    private int asked;
    private int nextTry = 1;

    /** A piece that the peer has not been asked to map. */
    DirectHandle(ProxyState proxy, PeerRegistrar registrar, DeviceMemory memory, int peer) {
        this.proxy = proxy;
        this.registrar = registrar;
        this.memory = memory;
        this.peer = peer;
    }

    /** The handle; 0 if there is none, or not yet. */
    long get() {
        if (handle == 0 && !isRefused && (pending != null && pending.isDone() || ++asked == nextTry)) {
            nextTry *= 2;
            ask();
        }
        return handle;
    }

    /** Undoes the registration, if there is one. Does not wait. */
    void close() {
        if (pending != null) {
            registrar.deregister(pending);
        }
        isRefused = true;
        handle = 0;
    }

    private void ask() {
        try {
            if (pending == null) {
                pending = registrar.register(memory, PATIENCE);
            }
            handle = proxy.await(pending, PATIENCE, "registering memory with rank " + peer);
        } catch (ProxyException e) {
            isRefused = pending != null && pending.isCompletedExceptionally();
            LOG.info("rank {}: data of this rank go to the kernels of rank {} through slots, for it {} its memory: {}",
                    proxy.rank(), peer, isRefused ? "cannot map" : "has not mapped", e.getMessage());
        }
    }
}

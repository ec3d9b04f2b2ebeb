/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.runtime;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.device.DeviceConnection;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/**
 * Connections that are made at once. The first that fails is the reason for all that are not there yet: the other end
 * of those may be waiting for a peer that failed likewise, until its time is up.
 */
final class Connecting {
    private final Map<Connector, CompletableFuture<DeviceConnection>> outcomes = new HashMap<>();
    private final CompletableFuture<DeviceConnection> failure = new CompletableFuture<>();

    void begin(Connector connector, byte[] peerInfo) {
        CompletableFuture<DeviceConnection> outcome = new CompletableFuture<>();
        outcomes.put(connector, outcome);
        failure.whenComplete((_, failed) -> outcome.completeExceptionally(failed));
        connector.connect(peerInfo).whenComplete((connected, failed) -> {
            if (failed == null) {
                outcome.complete(connected);
            } else {
                outcome.completeExceptionally(failed);
                failure.completeExceptionally(of(connector, failed));
            }
        });
    }

    /** For those that have not failed themselves. */
    private static Throwable of(Connector connector, Throwable failed) {
        Throwable cause = failed instanceof CompletionException ? failed.getCause() : failed;
        return cause instanceof ProxyException told
                ? new ProxyException(told.result(), "connect of " + connector + " failed: " + told.getMessage(), told)
                : failed;
    }

    CompletableFuture<DeviceConnection> of(Connector connector) {
        return outcomes.get(connector);
    }
}

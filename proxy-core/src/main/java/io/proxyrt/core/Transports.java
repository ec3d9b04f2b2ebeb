/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core;

import io.proxyrt.core.spi.ConnectorRequest;
import io.proxyrt.core.spi.ProxyTransport;
import io.proxyrt.core.spi.ProxyTransportProvider;
import io.proxyrt.core.spi.TransportContext;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.TreeMap;

/** The transports of a runtime, in RCCL's order of preference. */
final class Transports implements AutoCloseable {
    private final int rank;
    private final Map<Integer, ProxyTransportProvider> providers = new TreeMap<>();
    private final Map<Integer, ProxyTransport> byId = new LinkedHashMap<>();
    private final ProxyTransport[] all;

    /** Makes all that are there, or none if one fails. */
    Transports(TransportContext context, List<ProxyTransportProvider> added) {
        this.rank = context.rank();
        ServiceLoader.load(ProxyTransportProvider.class).forEach(provider -> providers.put(provider.id(), provider));
        added.forEach(provider -> providers.put(provider.id(), provider));
        try {
            providers.forEach((id, provider) -> byId.put(id, provider.create(context)));
        } catch (RuntimeException e) {
            close();
            throw e;
        }
        all = byId.values().toArray(ProxyTransport[]::new);
    }

    Map<Integer, ProxyTransport> byId() {
        return Collections.unmodifiableMap(byId);
    }

    List<String> names() {
        return byId.keySet().stream().map(id -> providers.get(id).name()).toList();
    }

    String describe(String name) {
        return byId.get(id(name)).describe();
    }

    /** The transport if there is no other; null if there are several, or none. */
    ProxyTransport sole() {
        return byId.size() == 1 ? byId.values().iterator().next() : null;
    }

    /** The first that can carry a connection; of the given name, if it is not null. */
    int choose(ConnectorRequest request, String name) {
        List<Integer> candidates = name == null ? List.copyOf(byId.keySet()) : List.of(id(name));
        StringBuilder reasons = new StringBuilder();
        for (int id : candidates) {
            String reason = byId.get(id).whyNot(request.self(), request.peer());
            if (reason.isEmpty()) {
                return id;
            }
            reasons.append(' ').append(providers.get(id).name()).append(": ").append(reason).append(';');
        }
        throw new ProxyException(ProxyResult.SYSTEM_ERROR, "rank " + rank + " has no transport to " + request
                + (reasons.isEmpty() ? "; add a transport module" : ":" + reasons));
    }

    /** Before a pass. Progress thread. */
    void poll() {
        for (ProxyTransport transport : all) {
            transport.poll();
        }
    }

    @Override
    public void close() {
        byId.values().forEach(ProxyTransport::close);
    }

    private int id(String name) {
        return byId.keySet().stream().filter(id -> providers.get(id).name().equalsIgnoreCase(name)).findFirst()
                .orElseThrow(() -> new ProxyException(ProxyResult.INVALID_ARGUMENT,
                        "there is no transport " + name + ", only " + String.join(", ", names())));
    }
}

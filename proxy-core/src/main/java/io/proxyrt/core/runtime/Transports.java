/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.runtime;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.progress.ConnectorRequest;
import io.proxyrt.core.progress.PeerInfo;
import io.proxyrt.core.progress.ProxyTransport;
import io.proxyrt.core.progress.ProxyTransportProvider;
import io.proxyrt.core.progress.TransportAdapter;
import io.proxyrt.core.progress.TransportContext;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** The transports of a runtime, in RCCL's order of preference. */
final class Transports implements AutoCloseable {
    private static final int ANY = -1;

    private final int rank;
    private final Map<Integer, ProxyTransportProvider> providers;
    private final Map<Integer, ProxyTransport> byId = new LinkedHashMap<>();

    /** Makes all that are there, or none if one fails. */
    Transports(TransportContext context, List<ProxyTransportProvider> added) {
        this.rank = context.rank();
        this.providers = providers(added);
        try {
            providers.forEach((id, provider) -> byId.put(id, provider.create(context)));
        } catch (RuntimeException | Error e) {
            closeAfter(e);
            throw e;
        }
    }

    /** By id: those that the modules have, but for those that were added. */
    static Map<Integer, ProxyTransportProvider> providers(List<ProxyTransportProvider> added) {
        Map<Integer, ProxyTransportProvider> providers = new TreeMap<>();
        Services.all(ProxyTransportProvider.class).forEach(provider -> providers.put(provider.id(), provider));
        added.forEach(provider -> providers.put(provider.id(), provider));
        return providers;
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

    /**
     * What came of each transport, in order: the first that can carry data is chosen, of the given name if it is not
     * null.
     */
    List<TransportVerdict> explain(PeerInfo self, PeerInfo peer, String name) {
        int wanted = name == null ? ANY : id(name);
        List<TransportVerdict> verdicts = new ArrayList<>();
        boolean isChosen = false;
        for (int id : byId.keySet()) {
            if (wanted != id && byId.get(id).isCollective() != peer.isNetwork()) {
                continue;
            }
            String whyNot = wanted == ANY || wanted == id ? byId.get(id).whyNot(self, peer)
                    : providers.get(wanted).name() + " is asked for";
            verdicts.add(new TransportVerdict(providers.get(id).name(), whyNot, whyNot.isEmpty() && !isChosen,
                    whyNot.isEmpty() ? byId.get(id).how(self, peer) : ""));
            isChosen |= whyNot.isEmpty();
        }
        return verdicts;
    }

    /** The first that can carry a connection; of the given name, if it is not null. */
    TransportChoice choose(ConnectorRequest request, String name) {
        StringBuilder refused = new StringBuilder();
        for (TransportVerdict verdict : explain(request.self(), request.peer(), name)) {
            if (verdict.isChosen()) {
                int id = id(verdict.name());
                return new TransportChoice(id, verdict.name(), byId.get(id), refused.toString());
            }
            refused.append(refused.isEmpty() ? "" : "; ").append(verdict.name()).append(": ").append(verdict.whyNot());
        }
        throw new ProxyException(ProxyResult.SYSTEM_ERROR, "rank " + rank + " has no transport to " + request
                + (refused.isEmpty() ? "; add a transport module" : ": " + refused));
    }

    /** Of the first that has any, and carries data from rank to rank. */
    List<TransportAdapter> adapters() {
        return withAdapters().map(ProxyTransport::adapters).orElse(List.of());
    }

    private Optional<ProxyTransport> withAdapters() {
        return byId.values().stream()
                .filter(transport -> !transport.isCollective() && !transport.adapters().isEmpty()).findFirst();
    }

    Connector connector(ProxyState proxy, ConnectorRequest request, String name) {
        TransportChoice choice = choose(request, name);
        return new Connector(proxy, choice, request(request, choice.transport()));
    }

    /** Another transport for messages has other adapters, or none. */
    private ConnectorRequest request(ConnectorRequest asked, ProxyTransport transport) {
        if (asked.adapter() == ConnectorRequest.ANY_ADAPTER) {
            return asked;
        }
        Optional<ProxyTransport> counted = transport.isCollective() ? Optional.of(transport) : withAdapters();
        int count = counted.map(ProxyTransport::adapters).orElse(List.of()).size();
        if (asked.adapter() < 0 || asked.adapter() >= count) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, "rank " + rank + " is to " + asked
                    + ", by adapter " + asked.adapter() + "; it has " + count);
        }
        return counted.get() == transport ? asked : asked.by(ConnectorRequest.ANY_ADAPTER);
    }

    /** All of them, though one may fail. */
    @Override
    public void close() {
        RuntimeException failure = null;
        for (ProxyTransport transport : byId.values()) {
            try {
                transport.close();
            } catch (RuntimeException e) {
                if (failure == null) {
                    failure = e;
                } else {
                    failure.addSuppressed(e);
                }
            }
        }
        if (failure != null) {
            throw failure;
        }
    }

    private void closeAfter(Throwable cause) {
        try {
            close();
        } catch (RuntimeException e) {
            cause.addSuppressed(e);
        }
    }

    private int id(String name) {
        return byId.keySet().stream().filter(id -> providers.get(id).name().equalsIgnoreCase(name)).findFirst()
                .orElseThrow(() -> new ProxyException(ProxyResult.INVALID_ARGUMENT,
                        "there is no transport " + name + ", only " + String.join(", ", names())));
    }
}

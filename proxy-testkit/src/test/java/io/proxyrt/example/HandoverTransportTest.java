/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.example;

import io.proxyrt.core.progress.ProxyTransportProvider;
import io.proxyrt.testkit.transport.TransportConformance;
import java.util.List;
import java.util.Map;

/** The example of docs/tutorial-transport.md does what every transport must do. */
class HandoverTransportTest extends TransportConformance {
    @Override
    protected String transport() {
        return HandoverProvider.NAME;
    }

    @Override
    protected int transportId() {
        return HandoverProvider.ID;
    }

    @Override
    protected Map<String, String> options() {
        return Map.of("buffer.bytes", "262144");
    }

    @Override
    protected List<ProxyTransportProvider> providers() {
        return List.of(new HandoverProvider());
    }

    @Override
    protected long largest() {
        return 50_000_000;
    }
}

/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.testkit.transport;

import java.util.HashMap;
import java.util.Map;

/** The P2P transport between host devices. */
abstract class P2pConformance extends TransportConformance {
    /** What is particular. */
    abstract Map<String, String> ways();

    @Override
    protected String transport() {
        return "P2P";
    }

    @Override
    protected int transportId() {
        return 0;
    }

    @Override
    protected Map<String, String> options() {
        Map<String, String> options = new HashMap<>(ways());
        options.put("p2p.host", "1");
        return options;
    }

    @Override
    protected long largest() {
        return 20_000_001;
    }
}

/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import io.proxyrt.core.Protocol;
import io.proxyrt.core.device.DeviceConnection;
import io.proxyrt.core.runtime.Connector;

/**
 * This rank's end of a connection: what is left of a connector once it is connected.
 *
 * @param peer       the rank at the other end
 * @param id         names the connection in ops and to the service
 * @param needsProxy whether ops have to be posted for it
 * @param device     the kernels' part
 * @param connector  what made it
 */
record ConnectionEnd(int peer, long id, boolean needsProxy, DeviceConnection device, Connector connector) {
    /** Whether its proxy takes the user's memory as it is; between ranks of a host that is the kernels' own affair. */
    boolean registersMemory() {
        return needsProxy && !device.isDirect(Protocol.LL);
    }

    /** Whether the peer's kernels can reach memory of this rank. */
    boolean sharesMemory() {
        return device.isDirect(Protocol.SIMPLE) && device.peerMemory() != null;
    }

    static ConnectionEnd of(Connector connector, DeviceConnection device) {
        return new ConnectionEnd(connector.request().peer().rank(), connector.connectionId(), connector.needsProxy(),
                device, connector);
    }
}

/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.ib;

import io.proxyrt.transport.net.socket.ControlDial;
import io.proxyrt.transport.net.socket.ControlSocket;
import io.proxyrt.transport.net.spi.NetConnectComm;
import io.proxyrt.transport.net.spi.NetSendComm;

/** Connects: the control connection first, then the queue pairs, which a thread sets up. */
final class IbConnectComm implements NetConnectComm {
    private final IbNet net;
    private final IbDevice device;
    private final IbHandle handle;
    private final ControlDial dial;
    private Attempt<IbSendComm> attempt;

    IbConnectComm(IbNet net, IbDevice device, IbHandle handle, ControlDial dial) {
        this.net = net;
        this.device = device;
        this.handle = handle;
        this.dial = dial;
    }

    @Override
    public NetSendComm connect() {
        if (attempt == null) {
            ControlSocket socket = dial.connect();
            if (socket == null) {
                return null;
            }
            attempt = net.attempt(device, socket, setUp -> setUp.send(handle));
        }
        IbSendComm comm = attempt.poll();
        if (comm != null) {
            net.join(comm);
        }
        return comm;
    }

    @Override
    public void close() {
        dial.close();
        if (attempt != null) {
            attempt.close();
        }
    }
}

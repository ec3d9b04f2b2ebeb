/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.ib;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.auth.Refusals;
import io.proxyrt.core.platform.Closing;
import io.proxyrt.transport.net.socket.ControlListener;
import io.proxyrt.transport.net.socket.ControlSocket;
import io.proxyrt.transport.net.spi.NetListenComm;
import io.proxyrt.transport.net.spi.NetRecvComm;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;

/** Waits for control connections; a thread sets up the queue pairs of each. */
final class IbListenComm implements NetListenComm {
    /** Connections that may be set up at a time: one peer has the handle, and may have tried before. */
    private static final int MAX_ATTEMPTS = 16;

    private final IbNet net;
    private final IbDevice device;
    private final ControlListener listener;
    private final ByteBuffer handle;
    private final List<Pending> pending = new ArrayList<>();
    private final Refusals refusals = new Refusals(IbNet.LOG, "dropped a connection from");

    /** A connection that is set up. */
    private record Pending(String peer, Attempt<IbRecvComm> attempt) {
    }

    IbListenComm(IbNet net, IbDevice device, ControlListener listener) {
        this.net = net;
        this.device = device;
        this.listener = listener;
        this.handle = new IbHandle(device.ports().size(), net.settings().data().pairsPerPort(), listener.handle())
                .encode();
    }

    @Override
    public ByteBuffer handle() {
        return handle.duplicate();
    }

    @Override
    public NetRecvComm accept() {
        ControlSocket socket = pending.size() < MAX_ATTEMPTS ? listener.accept() : null;
        if (socket != null) {
            pending.add(new Pending(socket.peer(), net.attempt(device, socket, SetUp::receive)));
        }
        for (Iterator<Pending> each = pending.iterator(); each.hasNext();) {
            Pending next = each.next();
            if (next.attempt.isOver()) {
                each.remove();
                IbRecvComm comm = outcome(next);
                if (comm != null) {
                    return comm;
                }
            }
        }
        return null;
    }

    /** Null if the peer could not be had: another attempt of its may come. */
    private IbRecvComm outcome(Pending ended) {
        try {
            IbRecvComm comm = ended.attempt.poll();
            net.join(comm);
            return comm;
        } catch (ProxyException e) {
            if (e.result() == ProxyResult.SYSTEM_ERROR) {
                throw e;
            }
            refusals.add(ended.peer, e.getMessage());
            return null;
        }
    }

    @Override
    public void close() {
        Closing closing = new Closing().add(listener);
        pending.forEach(each -> each.attempt.cancel());
        pending.forEach(each -> closing.add(each.attempt));
        pending.clear();
        closing.end();
    }
}

/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.example;

import io.proxyrt.core.Direction;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.device.DeviceConnection;
import io.proxyrt.core.progress.ConnectorRequest;
import io.proxyrt.core.progress.PeerInfo;
import io.proxyrt.core.progress.ProxyConnection;
import io.proxyrt.core.progress.ProxyProgress;
import io.proxyrt.core.progress.ProxyTransport;
import io.proxyrt.core.progress.WatchKind;
import java.nio.ByteBuffer;

/** Between ranks of one process: the sender's proxy copies what its kernel has put into slots. */
final class HandoverTransport implements ProxyTransport {
    private static final int VERSION = 1;
    private static final int INFO_BYTES = Integer.BYTES + Long.BYTES;

    private final ProxyConfig config;
    private final ProxyProgress progress = new HandoverProgress();

    HandoverTransport(ProxyConfig config) {
        this.config = config;
    }

    @Override
    public String whyNot(PeerInfo self, PeerInfo peer) {
        return self.isSameProcess(peer) ? "" : "rank " + peer.rank() + " is in another process";
    }

    @Override
    public String describe() {
        return "between ranks of one process";
    }

    @Override
    public WatchKind watch() {
        return WatchKind.LOSS;
    }

    @Override
    public ByteBuffer setupRequest(ConnectorRequest request) {
        return ByteBuffer.allocate(0);
    }

    @Override
    public ProxyResult proxySetup(ProxyConnection connection, ByteBuffer request, ByteBuffer response) {
        HandoverEnd end = new HandoverEnd(connection.direction(), config);
        connection.resources(end);
        response.putInt(VERSION).putLong(end.id());
        return ProxyResult.SUCCESS;
    }

    @Override
    public ByteBuffer connectInfo(ConnectorRequest request, ByteBuffer setupResponse) {
        return setupResponse.slice();
    }

    @Override
    public ByteBuffer connectRequest(ConnectorRequest request, ByteBuffer peerInfo) {
        if (peerInfo.remaining() != INFO_BYTES || peerInfo.getInt(peerInfo.position()) != VERSION) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, HandoverProvider.NAME + " connect info of rank "
                    + request.peer().rank() + " is of another version");
        }
        return peerInfo.slice();
    }

    @Override
    public ProxyResult proxyConnect(ProxyConnection connection, ByteBuffer request, ByteBuffer response) {
        HandoverEnd end = (HandoverEnd) connection.resources();
        if (end.direction == Direction.SEND) {
            end.take(receiver(connection, request));
        } else if (!end.isTaken()) {
            return ProxyResult.IN_PROGRESS;
        }
        response.putLong(end.id());
        return ProxyResult.SUCCESS;
    }

    private static HandoverEnd receiver(ProxyConnection connection, ByteBuffer request) {
        HandoverEnd receiver = request.remaining() == INFO_BYTES
                ? HandoverEnd.find(request.getLong(request.position() + Integer.BYTES)) : null;
        if (receiver == null || receiver.direction != Direction.RECV) {
            throw new ProxyException(ProxyResult.REMOTE_ERROR, connection + ": its receiver is gone, or told nonsense");
        }
        HandoverEnd own = (HandoverEnd) connection.resources();
        if (receiver.simple().byteSize() != own.simple().byteSize()) {
            throw new ProxyException(ProxyResult.INVALID_USAGE, connection + ": the receiver has slots of "
                    + receiver.simple().byteSize() + " bytes, this rank of " + own.simple().byteSize()
                    + "; set proxyrt.buffer.bytes alike");
        }
        return receiver;
    }

    @Override
    public DeviceConnection deviceConnection(ConnectorRequest request, ByteBuffer connectResponse) {
        return HandoverEnd.find(connectResponse.getLong(connectResponse.position())).deviceConnection();
    }

    @Override
    public void proxyFree(ProxyConnection connection) {
        if (connection.resources() instanceof HandoverEnd end) {
            connection.resources(null);
            end.close();
        }
    }

    @Override
    public ProxyProgress progress(Direction direction) {
        return direction == Direction.SEND ? progress : null;
    }

    @Override
    public void close() {
        // Each connection has given back its own.
    }
}

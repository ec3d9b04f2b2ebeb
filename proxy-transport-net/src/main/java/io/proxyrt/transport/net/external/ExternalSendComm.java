/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.external;

import io.proxyrt.core.plugin.PluginLibrary;
import io.proxyrt.transport.net.spi.NetMemory;
import io.proxyrt.transport.net.spi.NetSendComm;

/** The sending end of a connection. */
final class ExternalSendComm extends ExternalComm implements NetSendComm {
    ExternalSendComm(ExternalNet net, ExternalDevice device, long comm) {
        super(net, device, comm);
    }

    @Override
    public long isend(NetMemory memory, long offset, long bytes, int tag) {
        if (isFailed()) {
            return code();
        }
        ExternalMemory own = checked(memory, offset, bytes);
        if (own == null) {
            return REFUSED;
        }
        if (!messages.hasRoom()) {
            return 0;
        }
        words.request(0);
        int code = library.isend(comm, own.address() + offset, bytes, tag, own.mhandle(), words);
        if (PluginLibrary.isError(code)) {
            return fail("isend", code);
        }
        long pointer = words.request();
        if (pointer == 0) {
            return 0;
        }
        messages.size(0, bytes);
        return messages.post(pointer, 1, false);
    }

    /** {@inheritDoc} What was sent was sent whole, whatever the plug-in says. */
    @Override
    int settle(ExternalRequests requests, int place) {
        return 1;
    }

    @Override
    void closeComm() {
        library.closeSend(comm);
    }
}

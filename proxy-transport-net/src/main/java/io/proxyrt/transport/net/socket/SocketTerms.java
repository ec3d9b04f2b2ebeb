/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.socket;

/**
 * What the two ends of a connection agree on. The listener proposes it in its handle, the connector's hellos say what
 * holds.
 *
 * @param sockets    data sockets besides the control socket; 0 if that carries everything
 * @param chunkBytes least bytes of a large message that a data socket gets
 * @param flags      of {@link SocketHandle}
 */
record SocketTerms(int sockets, int chunkBytes, int flags) {
    /** What holds for a connector that has these flags itself. */
    SocketTerms with(int own) {
        int checked = (flags | own) & SocketHandle.CHECKED;
        int resumable = flags & own & SocketHandle.RESUMABLE;
        return new SocketTerms(sockets, chunkBytes, checked | resumable);
    }

    boolean isChecked() {
        return (flags & SocketHandle.CHECKED) != 0;
    }

    boolean isResumable() {
        return (flags & SocketHandle.RESUMABLE) != 0;
    }
}

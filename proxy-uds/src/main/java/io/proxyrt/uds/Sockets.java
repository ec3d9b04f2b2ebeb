/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.uds;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.Subsystem;
import io.proxyrt.core.platform.Platform;
import io.proxyrt.core.platform.UnixSockets;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.event.Level;

/**
 * Which Unix sockets are used, and why.
 *
 * @param unix these
 * @param note why not others; empty if they are those that were asked for
 */
record Sockets(UnixSockets unix, String note) {
    private static final Logger LOGGER = Subsystem.PROXY.logger();
    private static final AtomicBoolean IS_TOLD = new AtomicBoolean();
    private static final boolean IS_PRESENT = isPresent();

    static Sockets of(SocketsKind kind, Platform platform) {
        if (kind == SocketsKind.NATIVE) {
            return new Sockets(platform.unixSockets(), "");
        }
        try {
            return new Sockets(junix(platform.unixSockets()), "");
        } catch (ProxyException e) {
            if (kind == SocketsKind.JUNIXSOCKET) {
                throw e;
            }
            if (IS_TOLD.compareAndSet(false, true)) {
                LOGGER.atLevel(IS_PRESENT && JunixSockets.isPermitted() ? Level.WARN : Level.DEBUG)
                        .log("The UDS thread uses native Unix sockets: {}", e.getMessage());
            }
            return new Sockets(platform.unixSockets(), e.getMessage());
        }
    }

    private static UnixSockets junix(UnixSockets transfer) {
        if (!IS_PRESENT) {
            throw new ProxyException(ProxyResult.SYSTEM_ERROR, "junixsocket, which is optional, is not there: add its "
                    + "artifacts junixsocket-common and junixsocket-native-common, on a module path also --add-modules="
                    + "org.newsclub.net.unix,com.kohlschutter.junixsocket.nativecommon; or set " + UdsOptions.SOCKETS
                    + " to native");
        }
        return JunixSockets.load(transfer);
    }

    /** Asked before {@link JunixSockets}, which does not link without it, is touched. */
    private static boolean isPresent() {
        try {
            Class.forName("org.newsclub.net.unix.AFSocket", false, Sockets.class.getClassLoader());
            return true;
        } catch (ClassNotFoundException e) {
            return false;
        }
    }

    @Override
    public String toString() {
        return unix.name() + (note.isEmpty() ? "" : " (" + note + ")");
    }
}

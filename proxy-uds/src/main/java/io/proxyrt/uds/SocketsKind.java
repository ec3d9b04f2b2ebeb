/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.uds;

/** Which Unix sockets are used. */
public enum SocketsKind {
    /** {@link #JUNIXSOCKET} if its library loads, else {@link #NATIVE}. */
    AUTO,
    /** Those of the library junixsocket, whose native part is unpacked into the temp folder. */
    JUNIXSOCKET,
    /** Those of the platform, without a native part. */
    NATIVE
}

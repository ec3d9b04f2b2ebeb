/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.service;

import io.proxyrt.core.ProxyResult;
import java.nio.ByteBuffer;

/** Carries out calls of one type. Confined to the service thread. */
@FunctionalInterface
interface CallHandler {
    /** Whether calls of a type are about a connection. */
    enum Scope {
        /** They are. */
        CONNECTION,
        /** They may be about all of the caller's, with connection id 0. */
        CONNECTION_OR_ALL,
        /** They are about none. */
        SERVICE
    }

    /**
     * Carries out a call, or goes on with it: called again until it stops returning IN_PROGRESS. Never blocks.
     *
     * @param call     whose connection, if any, is the caller's and in a state that allows it
     * @param response empty, to be filled
     * @return SUCCESS or IN_PROGRESS
     * @throws io.proxyrt.core.ProxyException on failure; the connection's state stays as it is
     */
    ProxyResult handle(ServiceCall call, ByteBuffer response);
}

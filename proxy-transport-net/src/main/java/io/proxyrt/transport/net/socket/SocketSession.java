/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.socket;

import java.net.InetSocketAddress;
import java.util.UUID;

/**
 * A connection, as both ends know it.
 *
 * @param id            random
 * @param token         of the listener that it was made by
 * @param terms         that hold
 * @param resumeAddress where broken sockets are dialled again; null at the receiver
 * @param peer          the other end, for people
 */
record SocketSession(UUID id, SocketToken token, SocketTerms terms, InetSocketAddress resumeAddress, String peer) {
}

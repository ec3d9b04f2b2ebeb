/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.platform;

/**
 * Whose a TCP socket of this host is, as the kernel says.
 *
 * @param uid    of the user who made it; of one that its process has closed the kernel says 0
 * @param isOpen whether no side has closed it, so that the user is right
 */
public record SocketOwner(int uid, boolean isOpen) {
}

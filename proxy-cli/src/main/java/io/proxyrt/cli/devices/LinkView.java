/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.devices;

import io.proxyrt.core.LinkType;

/**
 * What joins two things in the matrix.
 *
 * @param from   a device's name
 * @param to     the name of a device or of a network port
 * @param type   the shortest way between them
 * @param isPeer whether {@code from} reaches the other one's memory
 * @param whyNot why it does not; empty if it does, and for network ports
 */
record LinkView(String from, String to, LinkType type, boolean isPeer, String whyNot) {
}

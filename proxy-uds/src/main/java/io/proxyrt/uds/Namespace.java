/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.uds;

/** Where the name of the socket lives. */
public enum Namespace {
    /** In the network namespace; gone with the process, and reachable to all its users, who are then refused. */
    ABSTRACT,
    /** In a folder, for processes in other network namespaces; for one user only. */
    PATH
}

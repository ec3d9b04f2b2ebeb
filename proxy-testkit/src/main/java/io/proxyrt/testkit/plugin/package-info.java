/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * A network plug-in in C: {@link io.proxyrt.testkit.plugin.TcpNetPlugin}. Its sources lie beside this package: {@code
 * net_abi.h} is NCCL's interface in all its versions, {@code tcp.c} the network, {@code plugin.c} the table, and what
 * misbehaves on purpose.
 */
package io.proxyrt.testkit.plugin;

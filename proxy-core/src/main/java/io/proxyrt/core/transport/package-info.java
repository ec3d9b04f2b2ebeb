/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * What transports have in common, for they must not see each other. All of them check messages by
 * {@link io.proxyrt.core.transport.MessageChecks}. Those between ranks of one host are a
 * {@link io.proxyrt.core.transport.HostTransport}: they share the sizes of a connection's buffers, its two ends and how
 * they are set up, what was opened of a peer on its way from the client half to the proxy half, and the copies that a
 * proxy makes between the buffers of two kernels.
 *
 * <p>Those between hosts choose one of several networks, plug-ins of others among them, by {@link
 * io.proxyrt.core.transport.NetworkSelection}, keep what connections have in common in {@link
 * io.proxyrt.core.transport.Shares}, and register memory of a device by its {@link
 * io.proxyrt.core.transport.DevicePages}.
 */
package io.proxyrt.core.transport;


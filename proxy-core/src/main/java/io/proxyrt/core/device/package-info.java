/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * The GPU's side of a connection, and the SPI on which GPUs stand.
 *
 * <p>A kernel and the proxy share two pages and a buffer of eight slots, and speak through them alone, as in NCCL:
 * <ul>
 * <li>to send, a kernel waits until head + 8 is beyond the slot's step, writes the slot, then
 *     {@linkplain io.proxyrt.core.device.RecvMem#size(int, long) size}, then
 *     {@linkplain io.proxyrt.core.device.RecvMem#tail(long) tail}; the proxy sends, empties size and gives the credit
 *     back through {@linkplain io.proxyrt.core.device.SendMem#head(long) head};
 * <li>to receive, a kernel waits until tail is beyond the slot's step, reads the slot, and stores head.
 * </ul>
 * Words are counted in absolute steps, which never wrap. Every store that publishes is a release, every load that
 * relies on it an acquire. Both sides count the same number of steps for an op and round its start up alike: an op that
 * is lost on one side leaves the connection useless, which is why a failed op fails its connection.
 *
 * <p>{@link io.proxyrt.core.device.Device} is the SPI on which GPUs stand: memory that the CPU may or may not touch,
 * streams of copies and kernels with events, ways for memory to other processes, what network adapters need. What a
 * device can do is {@linkplain io.proxyrt.core.device.DeviceCapability data}; the rest it refuses.
 */
package io.proxyrt.core.device;


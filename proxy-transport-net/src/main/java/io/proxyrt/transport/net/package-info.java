/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * The NET transport, RCCL's number 2: a network carries what kernels leave in a connection's buffer.
 *
 * <p>A connection has eight slots. On the sending side the kernel fills a slot and tells its size and the new tail; the
 * proxy sends it, and when the network is done with the slot marks it empty and advances head, which is the kernel's
 * credit. On the receiving side the proxy lets the network fill a slot and advances tail; the kernel consumes the slot
 * and advances head. {@link io.proxyrt.core.device.SendMem} and {@link io.proxyrt.core.device.RecvMem} are those words.
 *
 * <pre>
 *  send:     done ≤ transmitted ≤ posted ≤ nsteps                 posted - done ≤ depth
 *  receive:  done ≤ transmitted ≤ received ≤ posted ≤ nsteps      posted - done ≤ depth
 * </pre>
 *
 * <p>All counters advance by sliceSteps and are relative to base, the absolute step at which the op starts, which is
 * rounded up to a multiple of chunkSteps just as the kernel does it. The slot of a step is (base + step) mod 8. Both
 * sides count the steps of a connection for as long as it lives; an op lost or carried out twice would set them apart
 * for good.
 *
 * <p>The client half and the proxy half of the transport exchange versioned messages of fixed length, which name memory
 * by its id at the device, never by an address.
 */
package io.proxyrt.transport.net;

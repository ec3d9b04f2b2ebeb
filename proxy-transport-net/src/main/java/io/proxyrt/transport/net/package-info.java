/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * The NET transport, RCCL's number 2: a network carries what kernels leave in a connection's buffer.
 *
 * <p>A connection has eight slots for each protocol. On the sending side the kernel fills a slot and tells its size and
 * the new tail, or with LL and LL128 leaves flags in the lines themselves; the proxy sends it, and when the network is
 * done with the slot marks it empty. On the receiving side the proxy lets the network fill a slot and advances tail;
 * the kernel consumes the slot and advances head. {@link io.proxyrt.core.device.SendMem} and {@link
 * io.proxyrt.core.device.RecvMem} are those words.
 *
 * <pre>
 *  send:     done ≤ transmitted ≤ posted ≤ nsteps                 posted - done ≤ depth
 *  receive:  done ≤ transmitted ≤ received ≤ posted ≤ nsteps      posted - done ≤ depth
 *
 *  depth = min(8, 16 / subs), but at least 1
 * </pre>
 *
 * <p>All counters advance by sliceSteps and are relative to base, the absolute step at which the op starts, which is
 * rounded up to a multiple of chunkSteps just as the kernel does it. The slot of a step is (base + step) mod 8. Both
 * sides count the steps of a connection for as long as it lives; an op lost or carried out twice would set them apart
 * for good.
 *
 * <p>A <em>dedicated</em> connection has its slots for itself: its kernel begins with eight credits, and gets one back
 * when the network is done with a slot. A <em>shared</em> one takes its Simple slots from a pool of 16 for each
 * channel, of its posting peer and direction: its kernel gets a credit, and in connFifo the slot's place, when the
 * proxy has found one. Ops of one opCount on shared connections of a channel form a group. Of a group with more subs
 * than slots only as many of the oldest may post, and kernels run in the order of ops, so a group of any size moves,
 * and no sub waits for a slot that a younger one holds. Where the network groups receives, shared connections of two
 * proxies on a channel have one comm, and an irecv takes a step of each sub that can take one.
 *
 * <p>With an op on <em>registered memory</em> the kernel says for each step whether its data are in the slot or at some
 * ptr of the user's buffers, and the network moves them from there, or to there. On the sending side it says so with
 * the step's size; on the receiving side with the room there is, before the proxy posts the irecv. The op holds the
 * registration as long as it runs.
 *
 * <p>The client half and the proxy half of the transport exchange versioned messages of fixed length, which name memory
 * by its id at the device, never by an address.
 */
package io.proxyrt.transport.net;


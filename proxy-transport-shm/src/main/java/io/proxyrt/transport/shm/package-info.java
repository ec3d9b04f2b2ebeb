/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * The SHM transport, RCCL's number 1: segments of host memory that both ranks of a connection map.
 *
 * <p>Each end makes a segment at Setup, tells the peer of it in the connect info, and maps the peer's at Connect. The
 * sender's holds head, the receiver's tail and connFifo: a rank polls its own segment. The buffers of all three
 * protocols lie in one of the two, by an option. Connect ends when both have mapped the other's segment; then no other
 * process can.
 *
 * <pre>
 *    rank 0, which sends                                  rank 1, which receives
 *   +--------------------------+                         +------------------------------------+
 *   | sendMem: head            | ◀── credit ──────────── | kernel                             |
 *   | kernel                   | ─── data, then tail ──▶ | recvMem: tail, connFifo | buffers  |
 *   +--------------------------+                         +------------------------------------+
 * </pre>
 *
 * <p>In <em>direct</em> mode kernels of the two ranks use these words and slots, and no proxy moves anything: there is
 * no progress function, and no op is posted. In <em>copy-engine</em> mode a proxy at one end or at both copies the
 * slots of Simple between the segment and a buffer of its kernel's device, by streams of the device or, if a step is
 * small, by itself; LL and LL128 stay direct. Connections share nothing, so any number of them may be under way.
 *
 * <p>A segment is memory without a name, whose descriptor the UDS thread gives to the peer's rank only; or,
 * where descriptors cannot be passed, a file.
 *
 * <p>A connection whose Setup and Connect requests are empty has no segment. By it a rank registers memory with its
 * peer's proxy, where kernels of the peer reach it in place: {@link io.proxyrt.core.device.PeerMemory}.
 *
 * <p>Who has the memory mapped could write anything into it. What is in a segment is checked where it could lead out of
 * it: the layout once, when it is mapped, and sizes when they are used.
 */
package io.proxyrt.transport.shm;


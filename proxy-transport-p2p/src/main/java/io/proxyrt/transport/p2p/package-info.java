/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * The P2P transport, RCCL's number 0: kernels of two ranks of a host use memory of each other's devices, over NVLink,
 * xGMI or PCI.
 *
 * <p>Each end of a connection allocates memory of its device at Setup, tells the peer its name in the connect info, and
 * opens the peer's at Connect. What a kernel polls lies in memory of its own device: the sender's holds head, the
 * receiver's tail and connFifo, and the slots of all three protocols, but for those of Simple where they are to be read
 * rather than written.
 *
 * <pre>
 *    rank 0, which sends                                  rank 1, which receives
 *   +--------------------------+                         +------------------------------------+
 *   | sendMem: head            | ◀── credit ──────────── | kernel                             |
 *   | kernel                   | ─── data, then tail ──▶ | recvMem: tail | LL, LL128, Simple  |
 *   +--------------------------+                         +------------------------------------+
 * </pre>
 *
 * <p>How memory gets to the peer is a {@link io.proxyrt.transport.p2p.P2pWay}: within a process it is used as it is,
 * else it travels as a descriptor, which the UDS thread gives to the peer's rank only, or as a handle of the
 * driver. Devices that do not reach each other can have a third one between them that both reach, which then holds the
 * memory of both ends.
 *
 * <p>In <em>direct</em> mode no proxy moves anything, and no op is posted. In <em>copy-engine</em> mode the kernel that
 * sends fills slots of its own device, and its proxy copies them to the peer's by streams, several at a time; the words
 * by which the peer's kernel learns of them lie in memory of the host that both ranks map, since a proxy cannot store
 * into a GPU's. LL and LL128 stay direct.
 *
 * <p>A connection whose Setup and Connect requests are empty has no memory. By it a rank registers memory with its
 * peer's proxy, where kernels of the peer reach it in place: {@link io.proxyrt.core.device.PeerMemory}.
 */
package io.proxyrt.transport.p2p;


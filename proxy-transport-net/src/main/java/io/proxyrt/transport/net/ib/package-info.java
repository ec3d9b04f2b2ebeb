/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * The InfiniBand and RoCE network: messages are written by RDMA into memory of the receiver, which says where.
 *
 * <pre>
 *  sender                                               receiver
 *           ◀── RDMA_WRITE of elements into the FIFO ── irecv: address, size, rkey, tag
 *  isend:   ─── RDMA_WRITE of the message, ──────────▶  memory of the message
 *               the last one WITH_IMM ───────────────▶  completes a receive: test says 1
 *           ◀══════════ control connection (TCP) ═════▶  set-up, then nothing until an end leaves
 * </pre>
 *
 * <p>The sender never asks for a message to be received, and the receiver never for one to be sent: the sender looks at
 * its own memory, and messages wait there until they may go. For a message each end posts once, and takes one
 * completion. With several queue pairs messages take turns, or are split over all; with several ports each has a share.
 *
 * <p>Queue pairs are set up over an authenticated control connection, by a thread of each attempt, as a queue pair may
 * have to resolve its peer's address. Afterwards the connection's end tells that the peer is gone, which queue pairs do
 * late or not at all.
 */
package io.proxyrt.transport.net.ib;

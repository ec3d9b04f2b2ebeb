/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * The wire side of the UDS thread. Connected stream sockets instead of RCCL's datagrams: nothing is lost, and a peer
 * that leaves is noticed.
 *
 * <p><b>No thread.</b> {@link io.proxyrt.core.service.UdsEndpoint} is driven by the thread that runs the UDS agent, and
 * waits in one {@link io.proxyrt.core.platform.Poller} for all its sockets. A client talks over its own socket in its
 * caller's thread.
 *
 * <p><b>Every byte is hostile.</b> A peer is of an admitted user, or it is refused before it has said a word; then it
 * proves that it knows the job's secret, within a deadline, and the service proves it to the peer. At most one frame of
 * a peer is in memory, whatever it sends; an answer that it does not read stops its next request from being read, and
 * ends the session in the end. Half-open peers are capped apart from good ones, and the oldest of them makes room.
 *
 * <p><b>Every descriptor has an owner.</b> Bytes are never read beyond the frame that they belong to, so descriptors
 * that arrive belong to that frame. Those of a frame that is no good are closed with it, as are those that were sent.
 */
package io.proxyrt.uds;


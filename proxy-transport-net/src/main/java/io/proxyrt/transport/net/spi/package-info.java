/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * What a network has to offer to carry the data of the NET transport: NCCL's {@code ncclNet} in Java form, so that a
 * library written to that interface can be bound to this one.
 *
 * <p>A receiver <em>listens</em> and gets a handle of at most 128 bytes, which travels to the sender by other means.
 * The sender <em>connects</em> to the handle while the receiver <em>accepts</em>; both are asked again and again and
 * never block. The outcome is a pair of comms over which messages flow one way, in order.
 *
 * <p>Either side <em>registers</em> the memory it will use, then posts: {@code isend} and {@code irecv} take a message
 * and return a request, and {@code test} asks for its completion. A network refuses a request with 0 when it has no
 * room for it; that is back-pressure, and the caller tries again in a later pass. Failures are negated codes of
 * {@link io.proxyrt.core.ProxyResult}, with the reason in {@code failure()}. Nothing in this traffic allocates or
 * waits.
 *
 * <p>Two threads meet here. Listening, connecting, accepting, registering and closing belong to the service thread.
 * Once the connection is handed over, its comms' data calls belong to the progress thread, and come back to the service
 * thread only after the progress thread has let go. So a comm never sees two threads at once and needs no lock.
 */
package io.proxyrt.transport.net.spi;


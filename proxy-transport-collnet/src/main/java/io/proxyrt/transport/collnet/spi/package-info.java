/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * What a network has to offer to carry out collectives for the COLLNET transport: NCCL's {@code ncclCollNet} in Java
 * form, so that a library written to that interface can be bound to this one.
 *
 * <p>All participants <em>listen</em> and get a handle of at most 128 bytes; every one gets the handles of all by other
 * means, and <em>connects</em> with them, which is asked again and again and never blocks. The outcome is a comm over
 * which they carry out collectives, all in the same order and with the same arguments.
 *
 * <p>A participant <em>registers</em> the memory it will use, then posts: {@code iallreduce}, {@code iallgather} and
 * {@code ireducescatter} return a request, and {@code test} asks for its completion. A network refuses a request with 0
 * when it has no room for it now; the caller tries again in a later pass. Failures are negated codes of {@link
 * io.proxyrt.core.ProxyResult}, with the reason in {@code failure()}. Nothing in this traffic allocates or waits.
 *
 * <p>Listening, connecting, registering and closing belong to the service thread; a comm's data calls belong to the
 * progress thread, once the connection is handed over, and come back to the service thread only after the progress
 * thread has let go.
 */
package io.proxyrt.transport.collnet.spi;

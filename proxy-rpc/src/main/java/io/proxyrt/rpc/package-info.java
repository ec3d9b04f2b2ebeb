/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * The wire side of the service thread, with Netty as the means.
 *
 * <p><b>One loop, no thread.</b> An endpoint has one event loop, and the thread of the service agent drives it: a duty
 * cycle is one turn ({@link io.proxyrt.rpc.TurnLoop}), a park is a turn that may wait in the selector. The listener,
 * the sessions with peers and the client halves towards other services all live in that loop, so nothing in here is
 * locked, and a rank that calls its own service needs no second thread. What other threads want (a call, a new session,
 * a close) they hand over as tasks.
 *
 * <p><b>Every byte is hostile.</b> A peer is unauthenticated until its hello names the protocol and a version this
 * release speaks, and it has proven that it knows the job's secret ({@link io.proxyrt.core.auth.Transcript}); it has
 * little time for that, and so have all its kind together little room. Each length is checked before anything of that
 * length is allocated; ids on the wire are numbers that are looked up, never addresses ({@link
 * io.proxyrt.rpc.RpcFrameDescriptor}). A peer that breaks the rules is told why if its frame leaves a way to, logged
 * once, and closed; no other session notices. A peer that asks but never reads the answers is no longer read from,
 * and what it may have outstanding is limited in bytes. The caps on sessions refuse the newcomer; running out of file
 * descriptors pauses accepting. Neither ends the service, as RCCL's full peer table does.
 *
 * <p><b>No call waits in vain.</b> A response finds its caller by id, in any order. A session that ends completes every
 * call that is outstanding in it, by name; so does closing the endpoint.
 *
 * <p><b>Callers may drive.</b> A blocking client has a loop of its own, which those who wait take turns to drive: a
 * call writes and reads on its own thread ({@link io.proxyrt.rpc.CallerDrivenClient}).
 *
 * <p>Buffers are on the heap and not pooled: at the rate of a control plane the collector is cheaper than a leak.
 */
package io.proxyrt.rpc;


/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * The progress thread: RCCL's {@code ncclProxyProgress}, its args and its subs.
 *
 * <p>Posted ops become {@linkplain io.proxyrt.core.progress.ProxyArgs args}. Where an op goes follows RCCL's rules: an
 * op of a shared connection with the opCount of the last group in its queue becomes another
 * {@linkplain io.proxyrt.core.progress.ProxySubArgs sub} of it; any other op waits behind that group, or starts a new
 * one at the end of the active list. A queue belongs to one dedicated connection, or to several that share.
 *
 * <p>A pass calls {@link io.proxyrt.core.progress.ProxyProgress#advance} once for the head of each queue. New ops are
 * fetched when nothing moved, when nothing is active, and at least every eighth pass.
 *
 * <p>What differs from RCCL: everything is validated before anything changes; a failed op is removed and named, fails
 * its connection and those of its group, and leaves the others alone; the slots of ops come back when ops end, not when
 * they are fetched.
 *
 * <p>A {@link io.proxyrt.core.progress.ProxyTransport} moves bytes between ranks. Set-up goes through the service: the
 * client half encodes a request, RPC carries it, the proxy half works on it until it stops returning IN_PROGRESS. Data
 * go through {@link io.proxyrt.core.progress.ProxyProgress}. Providers are found by {@link java.util.ServiceLoader}. A
 * {@link io.proxyrt.core.progress.Network} carries them between hosts.
 *
 * <p>All state here is plain and confined to the thread that runs the agent. Other threads send commands.
 */
package io.proxyrt.core.progress;


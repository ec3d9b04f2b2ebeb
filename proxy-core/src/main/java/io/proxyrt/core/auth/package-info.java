/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * How the wires tell peers from others. Each wire has a magic number, frames and an order of its own; what they have in
 * common is here: the {@linkplain io.proxyrt.core.auth.Transcript transcript} of a handshake and the proofs over it,
 * which {@linkplain io.proxyrt.core.auth.UserFilter users} of this host may be peers, how many
 * {@linkplain io.proxyrt.core.auth.Unauthenticated unauthenticated} connections a port holds, and how their
 * {@linkplain io.proxyrt.core.auth.Refusals refusals} are logged.
 */
package io.proxyrt.core.auth;

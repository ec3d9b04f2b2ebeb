/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * Collectives over the proxy runtime, in the way NCCL builds them: a {@link io.proxyrt.collectives.Communicator} joins
 * the ranks, connects each with its neighbours in a ring, and turns a call such as
 * {@link io.proxyrt.collectives.Communicator#allReduce} into two things that meet in the connection's control words: a
 * kernel that reads and writes slots, and ops, by which the proxy moves full slots over the network.
 *
 * <p>It uses nothing of the runtime that its users could not use too. Read it as the example for a stack of your own.
 */
package io.proxyrt.collectives;


/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * How ops get from posters to the progress thread.
 *
 * <p>RCCL uses one list under a mutex in shared memory. Here every poster has a lane of its own: a ring of slots with
 * one producer and one consumer in a mapped file. Its words, each written by one side only:
 * <ul>
 * <li>{@code posted}: the producer's. All ops below are complete. One release store shows a whole batch at once; the
 *     consumer's acquire load of it is the only synchronisation an op ever costs.
 * <li>{@code fetched}: the consumer's. Ops below were copied out of their slots.
 * <li>{@code completed}: the consumer's. Ops that have ended. The producer may be {@code capacity} ops ahead of it.
 * </ul>
 * So free + pending + in flight = capacity, always, and another process can check it. Because an op's slot counts
 * as taken until the op has ended, a lane also bounds how much one poster can have under way, and
 * {@link io.proxyrt.core.op.OpsPoster#outstanding()} tells it when all is done, without a callback.
 *
 * <p>Ops of one opCount form a group that must not start before it is whole. That is why a full lane posts only
 * complete groups, why a fetch never cuts one, and why a group larger than a lane is refused at once.
 *
 * <p>A poster that dies in the middle of a batch has not stored {@code posted}: half a batch is never visible.
 */
package io.proxyrt.core.op;


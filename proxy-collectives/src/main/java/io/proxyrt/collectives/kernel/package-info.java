/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * The programs of the host device: ring collectives and point-to-point, written against head, tail and connFifo exactly
 * as NCCL's device code is, in the protocols Simple, LL and LL128.
 *
 * <p>A {@link io.proxyrt.collectives.kernel.CollectiveKernel} is one launch. It has a
 * {@link io.proxyrt.collectives.kernel.RingBlock} for each channel, which walks over loops, stages and slices; a stage
 * is one of NCCL's {@link io.proxyrt.collectives.kernel.Primitives}. Where a GPU spins, a block returns and remembers
 * where it stood. Its invariants are the GPU's: it writes a slot only below head + 8, reads one only below tail, and
 * both ends of a connection count the same steps for an op, whatever its size.
 */
package io.proxyrt.collectives.kernel;


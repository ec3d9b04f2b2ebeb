/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * Algorithms in files, as MSCCL and RCCL read them: who sends which chunks of a buffer to whom, in which order. Here
 * they are read, checked and rehearsed; a {@link io.proxyrt.collectives.kernel.ProgramKernel} carries them out.
 */
package io.proxyrt.collectives.msccl;

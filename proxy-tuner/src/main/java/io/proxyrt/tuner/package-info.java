/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * What a choice of algorithm and protocol is made of: what NCCL and RCCL call the algorithms, what a cost model is told
 * about a communicator and about a call, the times that it says, and what is chosen. Times are in microseconds,
 * bandwidths in GB/s (10⁹ bytes a second), sizes in bytes as NCCL counts them: of the largest buffer, which for an
 * all-gather or a reduce-scatter is all ranks' parts.
 *
 * <p>{@link io.proxyrt.tuner.model} has the models. All of it is plain computation: nothing blocks, no state is shared
 * but immutable one.
 */
package io.proxyrt.tuner;

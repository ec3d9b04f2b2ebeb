/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * The cost models of NCCL and RCCL as data, and the choice by them. A {@link io.proxyrt.tuner.model.CostModel} is the
 * tables of an architecture; for a communicator and a function it gives a {@link io.proxyrt.tuner.model.CostTable}, and
 * a {@link io.proxyrt.tuner.model.Chooser} takes from that what is fastest for a call.
 *
 * <p>NVIDIA's are those of NCCL 2.31, AMD's of RCCL for ROCm 7; numbers are in text files beside the classes. What is
 * computed from them is computed with doubles, where the originals round to floats.
 */
package io.proxyrt.tuner.model;

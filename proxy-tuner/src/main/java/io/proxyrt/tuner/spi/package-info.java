/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * Tuners: what may change the times that a cost model says, as NCCL's tuner plug-ins do. A {@link
 * io.proxyrt.tuner.spi.TunerProvider} is found by {@link java.util.ServiceLoader}; plug-ins of NCCL as C libraries are
 * tuners too.
 */
package io.proxyrt.tuner.spi;

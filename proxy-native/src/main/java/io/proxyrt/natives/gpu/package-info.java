/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * GPUs, by the FFM API: {@link io.proxyrt.natives.gpu.GpuApi} has the calls that CUDA and HIP share, and a device of
 * core's SPI stands on it. A library that is absent is a reason, not a failure.
 */
package io.proxyrt.natives.gpu;


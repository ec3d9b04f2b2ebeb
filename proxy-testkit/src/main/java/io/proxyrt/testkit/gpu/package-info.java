/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * GPUs where there are none: {@link io.proxyrt.testkit.gpu.StandInGpu} is a driver in C that a compiler of the host
 * makes, with the entry points and binary interfaces of CUDA and of HIP as of ROCm 5, 6 and 7. Bindings, devices,
 * transports and kernels run against it as against a real one, in this process and in others, and tests have its calls
 * fail. It is no measure of speed, nor of the order in which memory is seen: those need a GPU.
 *
 * <p>Its sources lie beside this package: {@code gpu.h} says what each has. A block of a kernel is one thread of the
 * operating system on which the block's threads take turns, so a kernel may wait for other blocks, for the host and for
 * other devices; a thread that waits for one of its own block does so by {@code __syncthreads}, or looks at the clock
 * now and then. Kernels are compiled as C++ with {@code kernel_prelude.h} before them, which has what kernels of this
 * project use of CUDA's and HIP's own names.
 */
package io.proxyrt.testkit.gpu;


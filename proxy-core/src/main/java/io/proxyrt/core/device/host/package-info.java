/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * The device that plays a GPU where there is none. It has all of a GPU's abilities that need no bus: descriptors are
 * those of sealed memfds, a stream is a thread with a ring of commands, kernels are Java
 * ({@link io.proxyrt.core.device.HostKernel}). Control words and protocols are the very same as on a GPU.
 */
package io.proxyrt.core.device.host;


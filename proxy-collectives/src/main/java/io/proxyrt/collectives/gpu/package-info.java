/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * The programs of GPUs, and what launches them. One source, beside this package's classes, is compiled by the device's
 * own compiler when a communicator starts, and once more for each data type and operator that it reduces with. It keeps
 * to the same words, slots and lines as the host's {@linkplain io.proxyrt.collectives.kernel kernels}, cuts collectives
 * by the same {@link io.proxyrt.collectives.kernel.RingGeometry}, and takes the same walk: so proxies and peers cannot
 * tell which of the two they have before them.
 *
 * <p>A channel's part of a collective has a block of threads, a message has one for each channel and direction. Where a
 * host's kernel returns, a block spins: on a word of the connection, with a limit, and with an eye on a word by which
 * the host ends it. Three places tie the two sides together: {@link io.proxyrt.collectives.gpu.ConnectionTable} in the
 * device's memory, where counts persist from launch to launch; {@link io.proxyrt.collectives.gpu.LaunchStatus} in the
 * host's, which says how far each block is and what it waits for; and a launch's
 * {@link io.proxyrt.collectives.gpu.LaunchArguments}, words of eight bytes.
 */
package io.proxyrt.collectives.gpu;


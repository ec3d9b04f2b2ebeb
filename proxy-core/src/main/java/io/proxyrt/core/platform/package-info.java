/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * What the operating system gives: {@link io.proxyrt.core.platform.Platform} and its parts are the native calls, which
 * proxy-native implements; files in memory that several processes share; who those processes and users are;
 * {@linkplain io.proxyrt.core.platform.HmacKey authentication codes}; which interfaces and ports a listener
 * may take; and how the devices of a host are joined.
 *
 * <p>What two processes share can outlive either of them. So a process that leaves a trace in such a file leaves its
 * {@linkplain io.proxyrt.core.ProcessIdentity identity} beside it: a process number alone may be given to
 * another process later. No file is trusted by its name.
 *
 * <p>The {@linkplain io.proxyrt.core.platform.Topology topology} is read from what the kernel tells in files. Two
 * devices of PCI are as far apart as the bridges between them, which is what their paths under {@code /sys} show; AMD's
 * driver lists the links between its GPUs there too. Nothing here calls a driver, so it works where there is none, and
 * on trees of files that a test makes. Files that are absent or make no sense are devices less, or things not known;
 * never an error.
 */
package io.proxyrt.core.platform;


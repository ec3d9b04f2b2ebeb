/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * How the devices of a host are joined, read from what the kernel tells in files.
 *
 * <p>Two devices of PCI are as far apart as the bridges between them, which is what their paths under {@code /sys}
 * show; AMD's driver lists the links between its GPUs there too. Which link a vendor's library alone knows of, its
 * device says: {@link io.proxyrt.core.device.Device#linkTo}. Nothing here calls a driver, so it works where there is
 * none, and on trees of files that a test makes. Files that are absent or make no sense are devices less, or things not
 * known; never an error.
 */
package io.proxyrt.core.topology;

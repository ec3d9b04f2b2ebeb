/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.op;

import io.proxyrt.core.ProcessIdentity;
import java.nio.file.Path;

/**
 * What a poster in another process has to know of an ops pool, and what it checks when it maps it.
 *
 * @param path    of its file
 * @param version of its layout
 * @param bytes   of its file
 * @param owner   the process whose progress agent consumes it
 */
public record OpsPoolAddress(Path path, int version, long bytes, ProcessIdentity owner) {
}

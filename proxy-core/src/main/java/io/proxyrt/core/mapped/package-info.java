/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * Files in memory that several processes share, and who those processes are.
 *
 * <p>What two processes share can outlive either of them. So whoever leaves a trace in such a file leaves its
 * {@linkplain io.proxyrt.core.mapped.ProcessIdentity identity} beside it: a process number alone may be given to
 * somebody else later.
 */
package io.proxyrt.core.mapped;

/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
/** Element-wise reductions of all types and operators by the CPU: for kernels of the host, and for switches. */
package io.proxyrt.core.reduction;

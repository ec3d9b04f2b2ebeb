/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
/** Tuner plug-ins of NCCL, as C libraries. */
package io.proxyrt.tuner.external;

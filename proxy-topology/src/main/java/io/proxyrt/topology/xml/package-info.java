/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
/** XML as NCCL, RCCL and MSCCL write it, read within limits, with the lines that are wrong. */
package io.proxyrt.topology.xml;

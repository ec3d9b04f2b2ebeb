/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * Why a job stands still: from what is seen of its ranks, whom all of them wait for and what that one owes. {@link
 * io.proxyrt.core.diagnosis.Diagnosis#of} is pure; {@link io.proxyrt.core.diagnosis.HostLook} sees the ranks of this
 * host by their mapped files, without their help.
 */
package io.proxyrt.core.diagnosis;

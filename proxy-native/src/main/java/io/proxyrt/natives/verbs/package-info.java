/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * RDMA verbs, by the FFM API: core's seam on top of {@code libibverbs.so.1}. A library that is absent is a reason, not
 * a failure. {@link io.proxyrt.natives.verbs.IbvLayout} has offsets and numbers, which a test compares with those of
 * the header.
 */
package io.proxyrt.natives.verbs;

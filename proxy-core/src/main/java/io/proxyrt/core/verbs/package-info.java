/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * RDMA verbs as a network needs them: devices, protection domains, memory regions, completion queues and queue pairs of
 * type RC. The words are those of libibverbs; work requests and completions lie in native memory, in its own layout.
 *
 * <p>proxy-native has them by the FFM API, on top of {@code libibverbs.so.1}; the testkit has a set of its own that
 * needs no hardware.
 */
package io.proxyrt.core.verbs;

/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * The UDS thread's duty: file descriptors of memory go from process to process, each with one owner at any time. A
 * rank exports memory under a handle to the ranks that it names; they get a descriptor for the handle (GetFd). Or a
 * rank sends a descriptor first and names it by its number over there in a Register call (QueryFd).
 */
package io.proxyrt.core.uds;

/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * What is said between a rank and the service of a proxy: a request and its response for each type of message that the
 * service thread carries out, with their bytes. All numbers are big-endian. GetFd and QueryFd are the UDS thread's: see
 * {@link io.proxyrt.core.service.UdsClient}.
 */
package io.proxyrt.core.service.message;


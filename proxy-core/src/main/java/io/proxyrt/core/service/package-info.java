/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * The service thread: what becomes of a call once the wire has delivered it. A connection is made by Init, set up by
 * Setup, connected by Connect and gone after Close; any other order is refused, and a call that fails changes nothing.
 * Calls whose transport is not ready stay on a list and are driven again. Freeing a connection takes two threads: the
 * service asks the progress thread to let go, and frees when it has.
 *
 * <p>The UDS thread's duty is here, too: file descriptors of memory go from process to process, each with one owner at
 * any time. A rank exports memory under a handle to the ranks that it names; they get a descriptor for the handle
 * (GetFd). Or a rank sends a descriptor first and names it by its number over there in a Register call (QueryFd).
 *
 * <p>A {@link io.proxyrt.core.service.ServiceEndpoint} is the wire under the service's RPC, a
 * {@link io.proxyrt.core.service.UdsEndpoint} the one under the UDS thread. Their providers are found by
 * {@link java.util.ServiceLoader}; core never names one.
 */
package io.proxyrt.core.service;


/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * The service thread: what becomes of a call once the wire has delivered it. A connection is made by Init, set up by
 * Setup, connected by Connect and gone after Close; any other order is refused, and a call that fails changes nothing.
 * Calls whose transport is not ready stay on a list and are driven again. Freeing a connection takes two threads: the
 * service asks the progress thread to let go, and frees when it has.
 */
package io.proxyrt.core.service;

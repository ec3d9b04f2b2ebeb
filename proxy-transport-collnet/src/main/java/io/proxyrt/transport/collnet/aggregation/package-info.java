/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * A switch in software: participants of many groups connect to it over TCP, and it carries out their all-reduces,
 * all-gathers and reduce-scatters. Switches form trees.
 *
 * <p>One thread accepts and authenticates; each group then belongs to one of the other threads, which reads its
 * connections in the order of participants, chunk by chunk. So the outcome does not depend on which is faster, what is
 * buffered is bounded, and the rest waits in the sockets, which is the back-pressure.
 */
package io.proxyrt.transport.collnet.aggregation;

/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * What joins the GPUs, CPUs and NICs of a host, as NCCL's and RCCL's {@code src/graph} find it.
 *
 * <p>{@link io.proxyrt.topology.SystemXml} is what a host is made of, read from a file or
 * {@linkplain io.proxyrt.topology.SystemDetection from the system}. {@link io.proxyrt.topology.TopologyGraph} has it as
 * nodes and links with their bandwidths, {@link io.proxyrt.topology.Paths} how to get from one to another. The
 * same input gives the same answer in every process: nothing here looks at a clock or at chance.
 *
 * <p>All that is exported is immutable, for any thread, and blocks only where it reads or writes files.
 */
package io.proxyrt.topology;

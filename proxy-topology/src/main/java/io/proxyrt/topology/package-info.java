/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * What joins the GPUs, CPUs and NICs of a host, and the rings and trees that suit it, as NCCL's and RCCL's
 * {@code src/graph} find them.
 *
 * <p>{@link io.proxyrt.topology.SystemXml} is what a host is made of, read from a file or
 * {@linkplain io.proxyrt.topology.SystemDetection from the system}. {@link io.proxyrt.topology.TopologyGraph} has it as
 * nodes and links with their bandwidths, {@link io.proxyrt.topology.Paths} how to get from one to another; a search
 * finds the order of the ranks in each channel, a {@link io.proxyrt.topology.ChannelGraph}.
 * {@link io.proxyrt.topology.JobTopology} puts those of several hosts together. The same input gives the same answer in
 * every process: nothing here looks at a clock or at chance.
 *
 * <p>All that is exported is immutable, for any thread, and blocks only where it reads or writes files.
 */
package io.proxyrt.topology;

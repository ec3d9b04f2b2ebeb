/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * Networks of plug-ins written for NCCL and RCCL that carry out collectives, over {@link
 * io.proxyrt.core.plugin.CollNetLibrary}: libraries such as SHARP's.
 *
 * <p>The interface of plug-ins promises less than {@link io.proxyrt.transport.collnet.spi}. {@code connect} blocks
 * until all participants are there, so each attempt has a thread, and the deadline of the runtime is for its outcome.
 * A comm bears eight requests, and is asked for its oldest one only; a handle has 128 bytes, of which none says whose
 * it is. Before version 8 there is all-reduce alone. What a plug-in says of its devices is brought into bounds, or the
 * device is not used; what it reduces it is asked once. A code other than NCCL's success and in-progress fails the comm
 * for good, with the function and the plug-in's last warning as the reason.
 *
 * <p>A listener stays with its plug-in as long as an attempt may use it, and the plug-in as long as anything of it is
 * open. Nothing bounds listen, regMr and deregMr, which are on the service thread, nor data calls.
 */
package io.proxyrt.transport.collnet.external;

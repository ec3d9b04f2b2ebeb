/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * Networks of plug-ins written for NCCL and RCCL, over {@link io.proxyrt.core.plugin.NetLibrary}.
 *
 * <p>The interface of plug-ins promises less than {@link io.proxyrt.transport.net.spi}. A comm bears eight requests for
 * each message that an irecv may group, and is asked for its oldest one only; a size that {@code test} does not write
 * is that of the receive; a handle has 128 bytes, of which none says whose it is. What a plug-in says of its devices is
 * brought into bounds, or the device is not used. A code other than NCCL's success and in-progress fails the comm for
 * good, with the function and the plug-in's last warning as the reason.
 *
 * <p>Calls may block. Loading and initialization are on a thread of their own and have the deadline of connects. So
 * are connect and accept, and the deadline of the runtime is for what these give. What closes and finishes is waited
 * for some seconds. Nothing bounds listen, regMr and deregMr, which are on the service thread, nor data calls; and
 * nothing can be done about a plug-in that writes where it must not.
 */
package io.proxyrt.transport.net.external;

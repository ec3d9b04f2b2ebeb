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
 * <p>Calls for setting up may block: initialization, which has a deadline, connect and accept are on threads of their
 * own, and the deadline of the runtime is for what these give. Nothing can be done about a plug-in whose data calls do
 * not return, or that writes where it must not.
 */
package io.proxyrt.transport.net.external;

/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.device;

/** What a device may be able to do. What it cannot do, its methods refuse; they do not crash. */
public enum DeviceCapability {
    /** {@link Device#allocateShareable}, {@link Device#exportFd}, {@link Device#importFd}: memory with a descriptor. */
    SHAREABLE_MEMORY,
    /** {@link Device#allocateIpc}, {@link Device#ipcHandle}, {@link Device#openIpc}: memory with a handle of bytes. */
    IPC_HANDLES,
    /** {@link Device#register}: existing memory of the host made reachable for kernels. */
    HOST_REGISTRATION,
    /** {@link Device#stream}, {@link Device#event}: copies that go on by themselves. */
    ASYNC_COPY,
    /** {@link Device#enablePeerAccess}: kernels and copies reach another device's memory. */
    PEER_ACCESS,
    /** {@link Device#exportDmaBuf}: descriptors by which a network adapter reaches memory. */
    DMA_BUF,
    /** {@link Device#loadModule}, {@link DeviceStream#launch}: programs that are loaded and launched. */
    MODULES,
    /** {@link Device#compile}: programs that are compiled from source, here and now. */
    COMPILER,
    /** {@link Device#hdpRegister}: writes of network adapters have to be flushed by a register. */
    HDP_REGISTER,
    /** {@link Device#flush}: writes of network adapters have to be flushed before kernels see them. */
    WRITE_FLUSH,
    /** {@link Device#flush} is one read over the bus, by GDRCopy, and takes the place of the network's flush. */
    GDRCOPY_FLUSH,
    /** {@link Device#wrap}, {@link Device#wrapStream}: memory and streams that other libraries of this process have. */
    FOREIGN_HANDLES,
    /** {@link DeviceStream#beginCapture}, {@link DeviceStream#launchHost}: what is done again and again. */
    GRAPHS,
    /** Kernels of several processes run on it side by side: a GPU of AMD's, or one of NVIDIA's under MPS. */
    CONCURRENT_PROCESSES
}

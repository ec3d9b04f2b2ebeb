/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.device;

import io.proxyrt.core.LinkType;
import io.proxyrt.core.OwnedFd;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import java.lang.foreign.MemorySegment;
import java.util.Set;

/**
 * What the proxies ask of a GPU, or of what plays it: memory that kernels and networks both reach, streams of copies
 * and kernels, and ways into other processes. {@link #capabilities()} says what a device is able to do; whatever else
 * it is asked for it refuses, by an exception that names the device and the capability. Any platform thread.
 */
public interface Device extends AutoCloseable {
    /** Longest handle of {@link #ipcHandle}: a driver's 64 bytes, and as many to say what they are of. */
    int MAX_IPC_HANDLE_BYTES = 128;

    /**
     * Its kind and number.
     *
     * @return such as {@code host:0}
     */
    String name();

    /**
     * Allocates zeroed memory that kernels and the proxy read and write. Blocks for as long as the system takes.
     *
     * @param bytes how much, greater than 0; aligned to a page
     * @return owned by the caller
     * @throws io.proxyrt.core.ProxyException {@link io.proxyrt.core.ProxyResult#SYSTEM_ERROR} if there is no memory
     */
    DeviceMemory allocate(long bytes);

    /**
     * Finds memory of this device by the id under which a transport announced it within the process.
     *
     * @param id as {@link DeviceMemory#id()}
     * @return the memory
     * @throws io.proxyrt.core.ProxyException {@link io.proxyrt.core.ProxyResult#INVALID_ARGUMENT} if it is unknown or
     *                                        was freed
     */
    DeviceMemory memory(long id);

    /**
     * Where kernels find memory that the caller has a segment of: {@code cudaPointerGetAttributes}. Any thread; neither
     * blocks nor allocates.
     *
     * @param segment that begins there
     * @param bytes   how many, from 0
     * @return the device's address; 0 if they are not all in one piece of memory that is allocated, registered or
     *         imported for it in this process: a kernel that touched them might cost the process its device
     */
    default long deviceAddress(MemorySegment segment, long bytes) {
        return segment.isNative() ? segment.address() : 0;
    }

    /**
     * Allocates zeroed memory that other processes of this host can map. Blocks for as long as the system takes.
     *
     * @param bytes how much, greater than 0; aligned to a page, and not rounded up to pages
     * @return owned by the caller
     * @throws ProxyException {@link ProxyResult#SYSTEM_ERROR} if there is none, {@link ProxyResult#INVALID_USAGE}
     *                        without {@link DeviceCapability#SHAREABLE_MEMORY}
     */
    default DeviceMemory allocateShareable(long bytes) {
        throw lacks(DeviceCapability.SHAREABLE_MEMORY);
    }

    /**
     * A file descriptor by which another process can map memory.
     *
     * @param memory of {@link #allocateShareable}
     * @return owned by the caller
     * @throws ProxyException {@link ProxyResult#INVALID_ARGUMENT} if it is other memory, {@link
     *                        ProxyResult#INVALID_USAGE} without {@link DeviceCapability#SHAREABLE_MEMORY}
     */
    default OwnedFd exportFd(DeviceMemory memory) {
        throw lacks(DeviceCapability.SHAREABLE_MEMORY);
    }

    /**
     * Gives back what memory keeps to be shared, such as a descriptor: all who are to map it have done so. It stays as
     * it is for this process and for them. Nothing where it keeps nothing.
     *
     * @param memory of {@link #allocateShareable}, of which no more is exported
     */
    default void unshare(DeviceMemory memory) {
    }

    /**
     * Maps all of the memory that another process allocated.
     *
     * @param fd of {@link #exportFd} there, for a device of the same kind; not to be trusted; owned by the device from
     *           now on, even if this throws
     * @return owned by the caller
     * @throws ProxyException {@link ProxyResult#INVALID_ARGUMENT} if it is something else, or could shrink while it is
     *                        mapped, {@link ProxyResult#INVALID_USAGE} if the device's descriptors do not tell a size,
     *                        or without {@link DeviceCapability#SHAREABLE_MEMORY}
     */
    default DeviceMemory importFd(OwnedFd fd) {
        fd.close();
        throw lacks(DeviceCapability.SHAREABLE_MEMORY);
    }

    /**
     * Maps memory that another process allocated, where its descriptor need not tell how much it is: a driver's own
     * does not.
     *
     * @param fd    as {@link #importFd(OwnedFd)}
     * @param bytes its size, as that process says; not to be trusted
     * @return of that size, or larger where the descriptor tells; owned by the caller
     * @throws ProxyException as {@link #importFd(OwnedFd)}, and {@link ProxyResult#INVALID_ARGUMENT} if it is less
     */
    default DeviceMemory importFd(OwnedFd fd, long bytes) {
        DeviceMemory memory = importFd(fd);
        if (bytes > 0 && bytes <= memory.bytes()) {
            return memory;
        }
        memory.close();
        throw new ProxyException(ProxyResult.INVALID_ARGUMENT, name() + ": memory of " + memory.bytes()
                + " bytes that was said to have " + bytes);
    }

    /**
     * What it can do, here and now.
     *
     * @return by what the methods are named after; the rest throws {@link ProxyResult#INVALID_USAGE}
     */
    default Set<DeviceCapability> capabilities() {
        return Set.of();
    }

    /**
     * What it is.
     *
     * @return never changes
     */
    default DeviceAttributes attributes() {
        return DeviceAttributes.unknown(name());
    }

    /**
     * Makes a stream.
     *
     * @param name for its thread, if it has one
     * @return owned by the caller
     * @throws ProxyException {@link ProxyResult#INVALID_USAGE} without {@link DeviceCapability#ASYNC_COPY}
     */
    default DeviceStream stream(String name) {
        throw lacks(DeviceCapability.ASYNC_COPY);
    }

    /**
     * Takes a stream that another library of this process made: PyTorch's current one, JCuda's. By {@link
     * DeviceStream#record} and {@link DeviceStream#await} the work of other streams is put behind what that library has
     * on it, and the other way round, on the device: no thread waits. What the library has there counts for {@link
     * DeviceStream#query} and {@link DeviceStream#synchronize}; closing waits for what was given through the wrapper.
     *
     * @param handle a {@code cudaStream_t} or {@code hipStream_t} of this device, 0 for the driver's default stream;
     *               one that was destroyed, or is no stream, may crash the process. It must not be captured into a
     *               graph
     * @param name   for messages
     * @return owned by the caller; closing it leaves the stream alone. The stream stays its owner's, who must not
     *         destroy it before, and may use it meanwhile, from any thread
     * @throws ProxyException {@link ProxyResult#INVALID_ARGUMENT} if the driver refuses it, as a stream of another
     *                        device, {@link ProxyResult#INVALID_USAGE} without {@link DeviceCapability#FOREIGN_HANDLES}
     */
    default DeviceStream wrapStream(long handle, String name) {
        throw lacks(DeviceCapability.FOREIGN_HANDLES);
    }

    /**
     * Makes an event.
     *
     * @return owned by the caller
     * @throws ProxyException {@link ProxyResult#INVALID_USAGE} without {@link DeviceCapability#ASYNC_COPY}
     */
    default DeviceEvent event() {
        throw lacks(DeviceCapability.ASYNC_COPY);
    }

    /**
     * Allocates zeroed memory of the host that kernels reach as well, and that copies need no staging for. Blocks for
     * as long as the system takes.
     *
     * @param bytes how much, greater than 0; aligned to a page
     * @return owned by the caller
     * @throws ProxyException {@link ProxyResult#SYSTEM_ERROR} if there is no memory
     */
    default DeviceMemory allocateHost(long bytes) {
        return allocate(bytes);
    }

    /**
     * Makes memory of the host that exists, such as a mapped file, reachable for kernels and copies.
     *
     * @param memory native; stays the caller's, who closes what this returns before he frees it
     * @return owned by the caller; closing it leaves the memory alone
     * @throws ProxyException {@link ProxyResult#INVALID_ARGUMENT} if it is not native,
     *                        {@link ProxyResult#INVALID_USAGE} without {@link DeviceCapability#HOST_REGISTRATION}
     */
    default DeviceMemory register(MemorySegment memory) {
        throw lacks(DeviceCapability.HOST_REGISTRATION);
    }

    /**
     * Takes memory that another library of this process got from the driver: PyTorch, JCuda, CUDA's runtime. The driver
     * says whose it is. Collectives then take its {@link DeviceMemory#range()}, or slices of that, in place; memory of
     * the host has to be pinned, other memory of the host is for {@link #register}. Takes some microseconds, so wrap an
     * allocation once and not for each call.
     *
     * @param address of the first byte, for the device if it is the device's, else for the CPU
     * @param bytes   how many, greater than 0
     * @return owned by the caller; closing it forgets the memory and leaves it alone. The memory stays its owner's, who
     *         must not free it before
     * @throws ProxyException {@link ProxyResult#INVALID_ARGUMENT} if that is not all in one allocation that kernels of
     *                        this device reach, with what the driver knows of it; {@link ProxyResult#INVALID_USAGE}
     *                        without {@link DeviceCapability#FOREIGN_HANDLES}
     */
    default DeviceMemory wrap(long address, long bytes) {
        throw lacks(DeviceCapability.FOREIGN_HANDLES);
    }

    /**
     * Allocates zeroed memory that other processes of this host can open by a handle. Blocks for as long as the system
     * takes.
     *
     * @param bytes how much, greater than 0; aligned to a page
     * @return owned by the caller
     * @throws ProxyException {@link ProxyResult#SYSTEM_ERROR} if there is no memory,
     *                        {@link ProxyResult#INVALID_USAGE} without {@link DeviceCapability#IPC_HANDLES}
     */
    default DeviceMemory allocateIpc(long bytes) {
        throw lacks(DeviceCapability.IPC_HANDLES);
    }

    /**
     * By what another process of the same user opens memory, as long as it is not freed: {@code cudaIpcMemHandle_t},
     * {@code hipIpcMemHandle_t}.
     *
     * @param memory of {@link #allocateIpc}
     * @return bytes without a meaning elsewhere, at most {@link #MAX_IPC_HANDLE_BYTES}; the caller's
     * @throws ProxyException {@link ProxyResult#INVALID_ARGUMENT} if it is other memory, or freed,
     *                        {@link ProxyResult#INVALID_USAGE} without {@link DeviceCapability#IPC_HANDLES}
     */
    default byte[] ipcHandle(DeviceMemory memory) {
        throw lacks(DeviceCapability.IPC_HANDLES);
    }

    /**
     * Maps memory that another process allocated.
     *
     * @param handle of {@link #ipcHandle} there, for a device of the same kind; not to be trusted
     * @return owned by the caller; it stays when the other process frees it, or ends, if the device can keep it
     * @throws ProxyException {@link ProxyResult#INVALID_ARGUMENT} if it is no such handle,
     *                        {@link ProxyResult#REMOTE_ERROR} if there is no such memory any more,
     *                        {@link ProxyResult#INVALID_USAGE} if this process may not, or without
     *                        {@link DeviceCapability#IPC_HANDLES}
     */
    default DeviceMemory openIpc(byte[] handle) {
        throw lacks(DeviceCapability.IPC_HANDLES);
    }

    /**
     * Whether kernels and copies of this device can reach another one's memory in place.
     *
     * @param peer of this process
     * @return false if data have to go by way of the host
     */
    default boolean canAccessPeer(Device peer) {
        return false;
    }

    /**
     * Lets kernels and copies of this device use memory and events of another one, that allocated so far and later.
     * One direction only. Idempotent.
     *
     * @param peer of this process
     * @throws ProxyException {@link ProxyResult#INVALID_USAGE} if it {@linkplain #canAccessPeer cannot}
     */
    default void enablePeerAccess(Device peer) {
        throw lacks(DeviceCapability.PEER_ACCESS);
    }

    /**
     * A descriptor by which a network adapter's driver reaches memory: a dma-buf.
     *
     * @param memory of this device
     * @param offset in bytes, a multiple of the system's page
     * @param bytes  how many, a multiple of the system's page
     * @return owned by the caller
     * @throws ProxyException {@link ProxyResult#INVALID_ARGUMENT} if the driver refuses this memory,
     *                        {@link ProxyResult#INVALID_USAGE} without {@link DeviceCapability#DMA_BUF}
     */
    default DmaBuf exportDmaBuf(DeviceMemory memory, long offset, long bytes) {
        throw lacks(DeviceCapability.DMA_BUF);
    }

    /**
     * The register that flushes the device's host data path: a writer to the device's memory over PCI stores 1 to
     * it before kernels look.
     *
     * @return four bytes, for stores and loads of any thread; the device's
     * @throws ProxyException {@link ProxyResult#INVALID_USAGE} without {@link DeviceCapability#HDP_REGISTER}
     */
    default MemorySegment hdpRegister() {
        throw lacks(DeviceCapability.HDP_REGISTER);
    }

    /**
     * Makes what network adapters have written to the device's memory visible to its kernels. Does not allocate; takes
     * as long as the bus does.
     *
     * @return 1, or a negated {@link ProxyResult} code if the driver refuses
     * @throws ProxyException {@link ProxyResult#INVALID_USAGE} without {@link DeviceCapability#WRITE_FLUSH}
     */
    default int flush() {
        throw lacks(DeviceCapability.WRITE_FLUSH);
    }

    /**
     * Loads programs. Blocks while the driver compiles, if it does.
     *
     * @param image what the device's compiler made: a cubin, a code object. It stays the caller's, and is not needed
     *              any more when this returns
     * @return owned by the caller
     * @throws ProxyException {@link ProxyResult#INVALID_ARGUMENT} if it is none, or for other devices,
     *                        {@link ProxyResult#INVALID_USAGE} without {@link DeviceCapability#MODULES}
     */
    default DeviceModule loadModule(MemorySegment image) {
        throw lacks(DeviceCapability.MODULES);
    }

    /**
     * Compiles programs for this device and loads them: NVRTC, hipRTC. Blocks for as long as the compiler takes, a
     * few tenths of a second.
     *
     * @param name   of the source, for the compiler's messages
     * @param source in the language that CUDA and HIP share; it finds {@code __CUDACC__} or {@code __HIPCC__} defined
     * @return owned by the caller
     * @throws ProxyException {@link ProxyResult#INVALID_ARGUMENT} with the compiler's log if it does not compile,
     *                        {@link ProxyResult#INVALID_USAGE} without {@link DeviceCapability#COMPILER}
     */
    default DeviceModule compile(String name, String source) {
        throw lacks(DeviceCapability.COMPILER);
    }

    /**
     * Says that programs will probably be compiled soon: another thread may do so meanwhile, and {@link #compile} then
     * only loads them, or waits for less. Returns at once, and never fails: what is wrong with a source is said by the
     * call that needs it. Nothing without {@link DeviceCapability#COMPILER}. Any thread.
     *
     * @param name   as for {@link #compile}
     * @param source the same that {@link #compile} will be given
     */
    default void compileAhead(String name, String source) {
    }

    /**
     * Whether kernels and copies of this device can reach memory of the device that another rank of this host uses,
     * once that was opened here by a descriptor or a handle.
     *
     * @param peer what that rank says of its device, not to be trusted
     * @return empty if they can, else the reason for people
     */
    default String whyNoPeer(PeerDevice peer) {
        return name() + " has no " + DeviceCapability.PEER_ACCESS;
    }

    /**
     * By which link of its vendor's this device reaches another one, if its driver tells: that does not show in files
     * of the system everywhere.
     *
     * @param peer what a rank of this host says of its device, not to be trusted
     * @return {@link LinkType#SELF}, {@link LinkType#NVLINK}, {@link LinkType#XGMI}, or {@link LinkType#UNKNOWN}: then
     *         they are joined as {@link io.proxyrt.core.platform.Topology#link} says
     */
    default LinkType linkTo(PeerDevice peer) {
        return LinkType.UNKNOWN;
    }

    private ProxyException lacks(DeviceCapability capability) {
        return new ProxyException(ProxyResult.INVALID_USAGE, name() + " has no " + capability);
    }

    /**
     * Leaves memory to those who hold it, such as ranks of one process, which close their devices when they like:
     * {@link #close} does not free it. A device that frees nothing then has nothing to do. Any thread.
     *
     * @param memory of this device; freed by its own {@link DeviceMemory#close} alone, which may come later
     */
    default void disown(DeviceMemory memory) {
        // Nothing is owned.
    }

    /** Closes its streams, and frees what is allocated and not {@linkplain #disown disowned}. Idempotent, bounded. */
    @Override
    void close();
}

/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.natives.gpu;

import io.proxyrt.core.LinkType;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.device.LaunchShape;
import java.lang.foreign.MemorySegment;
import java.util.Optional;

/**
 * The calls that CUDA and HIP both have, under one name each: without the prefix of the field, and with the differences
 * between the two, and between their versions, settled underneath. No policy: what is called is what happens.
 *
 * <p>Addresses, streams, events and other handles are the driver's own, as longs. The current device is the calling
 * operating-system thread's, and virtual threads share those: platform threads only, and {@link #setDevice} before
 * anything that says so. Methods that return an int <em>code</em> are for the data path: they neither throw nor
 * allocate, and {@link #result} translates. All others throw a {@link io.proxyrt.core.ProxyException} that names the
 * call, the driver's error and its number.
 */
public interface GpuApi {
    /** Bytes of {@code cudaIpcMemHandle_t}, {@code hipIpcMemHandle_t}. */
    int IPC_HANDLE_BYTES = 64;
    /** The code of success, in both. */
    int SUCCESS = 0;
    /** The code of a stream or an event that is not done, in both. */
    int NOT_READY = 600;

    /** {@return cuda or hip} */
    String kind();

    /** {@return names and versions of the libraries, for people} */
    String version();

    /** {@return how many devices this process sees; 0 if none} */
    int deviceCount();

    /**
     * Makes a device the calling thread's.
     *
     * @param ordinal from 0
     */
    void setDevice(int ordinal);

    /**
     * Asks for a number.
     *
     * @param what    which
     * @param ordinal of the device
     * @return -1 if this driver does not know it
     */
    int attribute(GpuAttribute what, int ordinal);

    /**
     * Its model.
     *
     * @param ordinal of the device
     * @return for people
     */
    String model(int ordinal);

    /**
     * What kernels are compiled for.
     *
     * @param ordinal of the device
     * @return such as {@code sm_90}, {@code gfx942}
     */
    String architecture(int ordinal);

    /**
     * Where it is on the bus.
     *
     * @param ordinal of the device
     * @return such as {@code 0000:c1:00.0}, in lower case
     */
    String pciBusId(int ordinal);

    /**
     * How much memory it has.
     *
     * @param ordinal of the device
     * @return bytes
     */
    long memoryBytes(int ordinal);

    /** {@return memory of the current device, which others see as it is while kernels run} @param bytes how much */
    long malloc(long bytes);

    /** Frees memory of {@link #malloc}; waits for the device. @param address of it */
    void free(long address);

    /** {@return pinned memory of the host that all devices reach, at the same address} @param bytes how much */
    long hostAlloc(long bytes);

    /** Frees memory of {@link #hostAlloc}. @param address of it */
    void freeHost(long address);

    /**
     * Pins memory of the host and maps it for all devices.
     *
     * @param address of it
     * @param bytes   of it
     * @return where the current device finds it
     */
    long hostRegister(long address, long bytes);

    /** Undoes {@link #hostRegister}. @param address as given there */
    void hostUnregister(long address);

    /**
     * Asks what is at an address.
     *
     * @param address any
     * @return empty if the driver knows of nothing there
     */
    Optional<GpuPointer> pointer(long address);

    /**
     * Fills memory of the current device, and waits until that is done.
     *
     * @param address of it
     * @param value   of every byte
     * @param bytes   of it
     */
    void memset(long address, int value, long bytes);

    /** {@return a stream of the current device, which waits for no other} */
    long streamCreate();

    /** Gives a stream back. @param stream idle or not */
    void streamDestroy(long stream);

    /** {@return SUCCESS, NOT_READY, or the code of what failed} @param stream to look at */
    int streamQuery(long stream);

    /**
     * Copies within one device's reach, host memory included.
     *
     * @param to     address
     * @param from   address
     * @param bytes  how many
     * @param stream that does it
     * @return a code
     */
    int memcpyAsync(long to, long from, long bytes, long stream);

    /**
     * Copies from one device's memory to another's.
     *
     * @param to          address
     * @param toOrdinal   whose it is
     * @param from        address
     * @param fromOrdinal whose it is
     * @param bytes       how many
     * @param stream      that does it
     * @return a code
     */
    int memcpyPeerAsync(long to, int toOrdinal, long from, int fromOrdinal, long bytes, long stream);

    /** {@return whether {@link #memcpyBatchAsync} is there} */
    boolean hasMemcpyBatch();

    /**
     * Copies within one device's reach, all of a batch in any order.
     *
     * @param batch  of copies, the caller's again when this returns
     * @param stream that does it
     * @return a code; if it is not SUCCESS, none is done
     */
    int memcpyBatchAsync(GpuBatch batch, long stream);

    /**
     * Has a stream store a word in host memory.
     *
     * @param stream  that does it
     * @param address of eight bytes, as the device sees them
     * @param value   of the word
     * @return a code
     */
    int writeValue(long stream, long address, long value);

    /** {@return an event without a time, of the current device} */
    long eventCreate();

    /** Gives an event back. @param event of {@link #eventCreate} */
    void eventDestroy(long event);

    /** {@return a code} @param event to be recorded @param stream on which */
    int eventRecord(long event, long stream);

    /** {@return SUCCESS, NOT_READY, or the code of what failed} @param event to look at */
    int eventQuery(long event);

    /** {@return a code} @param stream that waits @param event for which */
    int streamWaitEvent(long stream, long event);

    /**
     * Names memory of {@link #malloc} for other processes.
     *
     * @param address of the allocation's beginning
     * @param handle  gets {@link #IPC_HANDLE_BYTES}
     */
    void ipcGetMemHandle(long address, MemorySegment handle);

    /**
     * Maps memory of another process for the current device.
     *
     * @param handle of {@link #IPC_HANDLE_BYTES}
     * @return its address here
     */
    long ipcOpenMemHandle(MemorySegment handle);

    /** Undoes {@link #ipcOpenMemHandle}. @param address as given there */
    void ipcCloseMemHandle(long address);

    /** {@return what sizes of {@link #memCreate} are rounded up to} @param ordinal of the device */
    long memGranularity(int ordinal);

    /**
     * Makes physical memory that can be exported by a descriptor.
     *
     * @param ordinal whose
     * @param bytes   a multiple of {@link #memGranularity}
     * @return a handle
     */
    long memCreate(int ordinal, long bytes);

    /** Drops a handle; the memory goes with its last mapping. @param handle of memCreate or memImport */
    void memRelease(long handle);

    /** {@return a new file descriptor} @param handle of {@link #memCreate} */
    int memExport(long handle);

    /** {@return a handle} @param fd of another process's {@link #memExport}; stays the caller's */
    long memImport(int fd);

    /**
     * Maps physical memory at addresses of its own.
     *
     * @param handle of {@link #memCreate} or {@link #memImport}
     * @param bytes  of it
     * @return where; no device may access it yet
     */
    long memMap(long handle, long bytes);

    /** Undoes {@link #memMap}. @param address as given there @param bytes as there */
    void memUnmap(long address, long bytes);

    /**
     * Lets a device read and write mapped memory.
     *
     * @param address of {@link #memMap}
     * @param bytes   as there
     * @param ordinal of the device
     */
    void memSetAccess(long address, long bytes, int ordinal);

    /**
     * Exports memory to drivers of network adapters.
     *
     * @param address aligned to a page
     * @param bytes   a multiple of a page
     * @param offset  gets eight bytes: where the range begins in what the descriptor stands for
     * @return a new file descriptor
     */
    int exportDmaBuf(long address, long bytes, MemorySegment offset);

    /** {@return four bytes that flush the host data path; null if the device has none} @param ordinal of the device */
    MemorySegment hdpRegister(int ordinal);

    /** {@return a code, once what adapters wrote to the current device is visible to its kernels} */
    int flushRemoteWrites();

    /** {@return whether one device reaches another's memory} @param ordinal of the one @param peer of the other */
    boolean canAccessPeer(int ordinal, int peer);

    /**
     * What joins two devices that reach each other, where the driver knows more than PCI's tree shows.
     *
     * @param ordinal of the one
     * @param peer    of the other
     * @return {@link LinkType#UNKNOWN} if it does not tell
     */
    default LinkType link(int ordinal, int peer) {
        return LinkType.UNKNOWN;
    }

    /** Lets the current device reach another's memory. Twice does no harm. @param peer the other's ordinal */
    void enablePeerAccess(int peer);

    /** {@return a module of the current device} @param image a cubin, PTX, or a code object */
    long moduleLoad(MemorySegment image);

    /** Unloads a module. @param module of {@link #moduleLoad} */
    void moduleUnload(long module);

    /** {@return a kernel, or 0 if there is none such} @param module to look in @param name of the kernel */
    long moduleFunction(long module, String name);

    /**
     * Starts a kernel.
     *
     * @param function  of {@link #moduleFunction}
     * @param shape     how many threads
     * @param arguments laid out as C does; copied before this returns
     * @param stream    that does it
     * @return a code
     */
    int launch(long function, LaunchShape shape, MemorySegment arguments, long stream);

    /** {@return its graphs; those of no driver if it has none} */
    default GpuGraphs graphs() {
        return GpuGraphs.NONE;
    }

    /** {@return the calling thread's room for what calls give back} */
    GpuScratch scratch();

    /** {@return the compiler that comes with the driver} */
    GpuCompiler compiler();

    /** {@return what a code means to users of the SPI} @param code of any call */
    ProxyResult result(int code);

    /** {@return the driver's name for a code, and its number} @param code of any call */
    String errorName(int code);
}

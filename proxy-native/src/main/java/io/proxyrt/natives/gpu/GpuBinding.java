/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.natives.gpu;

import static io.proxyrt.natives.CCalls.call;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.device.LaunchShape;
import io.proxyrt.natives.CFunction;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** What CUDA and HIP have in common, which is nearly all but the names. */
abstract class GpuBinding implements GpuApi {
    static final int INVALID_VALUE = 1;
    static final int NOT_FOUND = 500;
    static final int PEER_ACCESS_ALREADY_ENABLED = 704;
    private static final int NOT_SUPPORTED = GpuErrors.NOT_SUPPORTED;
    /** Portable, for all devices; mapped, for kernels. The same for allocated and for registered memory. */
    static final int PORTABLE_AND_MAPPED = 3;
    static final int NON_BLOCKING = 1;
    static final int DISABLE_TIMING = 2;
    static final int MEMCPY_DEFAULT = 4;
    /** {@code cudaIpcMemLazyEnablePeerAccess}, {@code hipIpcMemLazyEnablePeerAccess}. */
    static final int LAZY_ENABLE_PEER_ACCESS = 1;
    static final int GRANULARITY_RECOMMENDED = 1;
    private static final int TEXT_BYTES = 256;

    final GpuFunctions functions;
    final RelaxedCalls relaxed;
    private final String version;
    private final GpuCompiler compiler;
    private final Map<GpuAttribute, Integer> numbers;
    private final MemDescriptor descriptor;
    private final ThreadLocal<GpuScratch> scratch;
    private final GpuPointers pointers;
    /** Of modules: HIP goes on reading them. */
    private final Map<Long, MemorySegment> images = new ConcurrentHashMap<>();

    /** With the driver's numbers for what it is asked, and what ends the description of a kernel's arguments. */
    GpuBinding(Found found, Map<GpuAttribute, Integer> numbers, MemDescriptor descriptor, GpuPointers.Types types,
            long launchParamEnd) {
        this.functions = found.functions;
        this.version = found.version;
        this.compiler = found.compiler;
        this.numbers = numbers;
        this.descriptor = descriptor;
        this.pointers = new GpuPointers(found.functions, types);
        this.scratch = ThreadLocal.withInitial(() -> new GpuScratch(launchParamEnd));
        this.relaxed = new RelaxedCalls(functions.graphs.exchangeMode(), scratch::get);
    }

    /**
     * What came of loading a driver's libraries.
     *
     * @param version names and versions of them, for people
     */
    record Found(String version, GpuFunctions functions, GpuCompiler compiler) {
    }

    @Override
    public final String version() {
        return version;
    }

    @Override
    public final GpuCompiler compiler() {
        return compiler;
    }

    @Override
    public final GpuGraphs graphs() {
        return functions.graphs;
    }

    @Override
    public final GpuScratch scratch() {
        return scratch.get();
    }

    /** Why there is no device; empty if there is one. */
    final String whyNoDevice() {
        int code = call(functions.getDeviceCount, scratch().out());
        if (code == SUCCESS) {
            return scratch().asInt() > 0 ? "" : version() + ": no device";
        }
        call(functions.getLastError);
        return version() + ": no device, " + functions.getDeviceCount.name() + " says " + errorName(code)
                + GpuErrors.advice(code);
    }

    @Override
    public final int deviceCount() {
        int code = call(functions.getDeviceCount, scratch().out());
        if (GpuErrors.meansNoDevice(code)) {
            call(functions.getLastError);
            return 0;
        }
        check(code, functions.getDeviceCount, "");
        return scratch().asInt();
    }

    @Override
    public final void setDevice(int ordinal) {
        check(call(functions.setDevice, ordinal), functions.setDevice, "device " + ordinal);
    }

    @Override
    public final int attribute(GpuAttribute what, int ordinal) {
        return switch (what) {
            case DMA_BUF -> exportsDmaBuf(ordinal) ? 1 : 0;
            case FLUSH_REMOTE_WRITES -> needsFlush(ordinal) ? 1 : 0;
            // AMD's GPUs have no number for it, for they always do.
            case CONCURRENT_PROCESSES -> numbers.containsKey(what) ? ask(numbers.get(what), ordinal) : 1;
            default -> ask(numbers.get(what), ordinal);
        };
    }

    abstract boolean exportsDmaBuf(int ordinal);

    /** Whether {@link #flushRemoteWrites} is needed and works. */
    abstract boolean needsFlush(int ordinal);

    /** A number of a device by the driver's number for it; -1 if the driver does not know it. */
    final int ask(int attribute, int ordinal) {
        int device = device(ordinal);
        int code = call(functions.deviceGetAttribute, scratch().out(-1), attribute, device);
        if (code == INVALID_VALUE || code == NOT_SUPPORTED) {
            call(functions.getLastError);
            return -1;
        }
        check(code, functions.deviceGetAttribute, "attribute " + attribute + " of device " + ordinal);
        return scratch().asInt();
    }

    final int device(int ordinal) {
        check(call(functions.deviceGet, scratch().out(), ordinal), functions.deviceGet, "device " + ordinal);
        return scratch().asInt();
    }

    @Override
    public final String model(int ordinal) {
        int device = device(ordinal);
        return text(functions.deviceGetName, device);
    }

    @Override
    public final String pciBusId(int ordinal) {
        return text(functions.deviceGetPciBusId, ordinal).toLowerCase(Locale.ROOT);
    }

    private String text(CFunction function, int device) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment text = arena.allocate(TEXT_BYTES);
            check(call(function, text.address(), TEXT_BYTES, device), function, "device " + device);
            return text.getString(0);
        }
    }

    @Override
    public final long memoryBytes(int ordinal) {
        int device = device(ordinal);
        check(call(functions.deviceTotalMem, scratch().out(), device), functions.deviceTotalMem, "device " + ordinal);
        return scratch().asLong();
    }

    @Override
    public long malloc(long bytes) {
        return allocated(relaxed.call(() -> call(functions.malloc, scratch().out(), bytes)), functions.malloc, bytes);
    }

    @Override
    public final void free(long address) {
        check(relaxed.call(functions.free, address), functions.free, address);
    }

    @Override
    public final long hostAlloc(long bytes) {
        return allocated(relaxed.call(() -> call(functions.hostAlloc, scratch().out(), bytes, hostAllocFlags())),
                functions.hostAlloc, bytes);
    }

    final long allocated(int code, CFunction function, long bytes) {
        check(code, function, bytes + " bytes");
        return scratch().asLong();
    }

    /** Memory that the host and all devices see alike while kernels run. */
    abstract int hostAllocFlags();

    @Override
    public final void freeHost(long address) {
        check(relaxed.call(functions.freeHost, address), functions.freeHost, address);
    }

    @Override
    public final long hostRegister(long address, long bytes) {
        check(relaxed.call(() -> call(functions.hostRegister, address, bytes, PORTABLE_AND_MAPPED)),
                functions.hostRegister, bytes + " bytes at 0x" + Long.toHexString(address));
        int code = call(functions.hostGetDevicePointer, scratch().out(), address, 0);
        if (code != SUCCESS) {
            relaxed.call(functions.hostUnregister, address);
        }
        check(code, functions.hostGetDevicePointer, address);
        return scratch().asLong();
    }

    @Override
    public final void hostUnregister(long address) {
        check(relaxed.call(functions.hostUnregister, address), functions.hostUnregister, address);
    }

    @Override
    public final Optional<GpuPointer> pointer(long address) {
        return pointers.find(address);
    }

    /** Returns before it is done, and its stream waits for no other: so waiting for that one waits for nothing else. */
    @Override
    public final void memset(long address, int value, long bytes) {
        check(call(functions.memset, address, value, bytes), functions.memset,
                bytes + " bytes at 0x" + Long.toHexString(address));
        check(relaxed.call(functions.streamSynchronize, 0), functions.streamSynchronize, "the default stream");
    }

    @Override
    public final long streamCreate() {
        check(call(functions.streamCreateWithFlags, scratch().out(), NON_BLOCKING), functions.streamCreateWithFlags,
                "");
        return scratch().asLong();
    }

    @Override
    public final void streamDestroy(long stream) {
        check(call(functions.streamDestroy, stream), functions.streamDestroy, stream);
    }

    @Override
    public final int streamQuery(long stream) {
        return relaxed.call(functions.streamQuery, stream);
    }

    @Override
    public final int memcpyAsync(long to, long from, long bytes, long stream) {
        return call(functions.memcpyAsync, to, from, bytes, MEMCPY_DEFAULT, stream);
    }

    @Override
    public final int memcpyPeerAsync(long to, int toOrdinal, long from, int fromOrdinal, long bytes, long stream) {
        return call(functions.memcpyPeerAsync, to, toOrdinal, from, fromOrdinal, bytes, stream);
    }

    @Override
    public final int writeValue(long stream, long address, long value) {
        return call(functions.streamWriteValue64, stream, address, value, 0);
    }

    @Override
    public final long eventCreate() {
        check(call(functions.eventCreateWithFlags, scratch().out(), DISABLE_TIMING), functions.eventCreateWithFlags,
                "");
        return scratch().asLong();
    }

    @Override
    public final void eventDestroy(long event) {
        check(call(functions.eventDestroy, event), functions.eventDestroy, event);
    }

    @Override
    public final int eventRecord(long event, long stream) {
        return call(functions.eventRecord, event, stream);
    }

    @Override
    public final int eventQuery(long event) {
        return relaxed.call(functions.eventQuery, event);
    }

    @Override
    public final int streamWaitEvent(long stream, long event) {
        return call(functions.streamWaitEvent, stream, event, 0);
    }

    @Override
    public final void ipcGetMemHandle(long address, MemorySegment handle) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment copy = arena.allocate(IPC_HANDLE_BYTES, Long.BYTES);
            check(call(functions.ipcGetMemHandle, copy.address(), address), functions.ipcGetMemHandle, address);
            MemorySegment.copy(copy, 0, handle, 0, IPC_HANDLE_BYTES);
        }
    }

    @Override
    public final long ipcOpenMemHandle(MemorySegment handle) {
        check(relaxed.call(() -> openIpc(handle.asSlice(0, IPC_HANDLE_BYTES))), functions.ipcOpenMemHandle, "");
        return scratch().asLong();
    }

    /** {@return a code} The address is then in the thread's scratch memory. */
    int openIpc(MemorySegment handle) {
        return GpuCalls.openIpc(functions.ipcOpenMemHandle, scratch().out(), handle, LAZY_ENABLE_PEER_ACCESS);
    }

    @Override
    public final void ipcCloseMemHandle(long address) {
        check(relaxed.call(functions.ipcCloseMemHandle, address), functions.ipcCloseMemHandle, address);
    }

    @Override
    public final long memGranularity(int ordinal) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment prop = descriptor.allocationProp(arena, ordinal, reachesAdapters(ordinal));
            check(call(functions.memGetAllocationGranularity, scratch().out(), prop.address(),
                    GRANULARITY_RECOMMENDED), functions.memGetAllocationGranularity, "device " + ordinal);
            return scratch().asLong();
        }
    }

    @Override
    public final long memCreate(int ordinal, long bytes) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment prop = descriptor.allocationProp(arena, ordinal, reachesAdapters(ordinal));
            check(call(functions.memCreate, scratch().out(), bytes, prop.address(), 0), functions.memCreate,
                    bytes + " bytes of device " + ordinal);
            return scratch().asLong();
        }
    }

    /** Whether memory of {@link #memCreate} can be made so that network adapters reach it. */
    abstract boolean reachesAdapters(int ordinal);

    @Override
    public final void memRelease(long handle) {
        check(call(functions.memRelease, handle), functions.memRelease, handle);
    }

    @Override
    public final int memExport(long handle) {
        check(call(functions.memExportToShareableHandle, scratch().out(-1), handle,
                MemDescriptor.POSIX_FILE_DESCRIPTOR, 0), functions.memExportToShareableHandle, handle);
        return scratch().asInt();
    }

    @Override
    public long memImport(int fd) {
        return importHandle(fd, fd);
    }

    /** With the descriptor as this version wants to be told it. */
    final long importHandle(int fd, long osHandle) {
        check(call(functions.memImportFromShareableHandle, scratch().out(), osHandle,
                MemDescriptor.POSIX_FILE_DESCRIPTOR), functions.memImportFromShareableHandle, "descriptor " + fd);
        return scratch().asLong();
    }

    @Override
    public final long memMap(long handle, long bytes) {
        check(call(functions.memAddressReserve, scratch().out(), bytes, 0, 0, 0), functions.memAddressReserve,
                bytes + " bytes");
        long address = scratch().asLong();
        int code = call(functions.memMap, address, bytes, 0, handle, 0);
        if (code != SUCCESS) {
            call(functions.memAddressFree, address, bytes);
        }
        check(code, functions.memMap, handle);
        return address;
    }

    @Override
    public final void memUnmap(long address, long bytes) {
        check(call(functions.memUnmap, address, bytes), functions.memUnmap, address);
        check(call(functions.memAddressFree, address, bytes), functions.memAddressFree, address);
    }

    @Override
    public final void memSetAccess(long address, long bytes, int ordinal) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment access = MemDescriptor.readWrite(arena, ordinal);
            check(call(functions.memSetAccess, address, bytes, access.address(), 1), functions.memSetAccess,
                    bytes + " bytes at 0x" + Long.toHexString(address) + " for device " + ordinal);
        }
    }

    @Override
    public final boolean canAccessPeer(int ordinal, int peer) {
        check(call(functions.deviceCanAccessPeer, scratch().out(), ordinal, peer), functions.deviceCanAccessPeer,
                "device " + peer + " from device " + ordinal);
        return scratch().asInt() != 0;
    }

    @Override
    public final void enablePeerAccess(int peer) {
        int code = relaxed.call(() -> call(functions.deviceEnablePeerAccess, peer, 0));
        if (code == PEER_ACCESS_ALREADY_ENABLED) {
            call(functions.getLastError);
        } else {
            check(code, functions.deviceEnablePeerAccess, "device " + peer);
        }
    }

    /** Ends the copy with a zero, which PTX needs, and the others do not mind. */
    @Override
    public final long moduleLoad(MemorySegment image) {
        MemorySegment copy = Arena.ofAuto().allocate(image.byteSize() + 1, Long.BYTES * Long.BYTES);
        MemorySegment.copy(image, 0, copy, 0, image.byteSize());
        check(relaxed.call(() -> call(functions.moduleLoadData, scratch().out(), copy.address())),
                functions.moduleLoadData, image.byteSize() + " bytes");
        long module = scratch().asLong();
        images.put(module, copy);
        return module;
    }

    @Override
    public final void moduleUnload(long module) {
        check(relaxed.call(functions.moduleUnload, module), functions.moduleUnload, module);
        images.remove(module);
    }

    @Override
    public final long moduleFunction(long module, String name) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment text = arena.allocateFrom(name);
            int code = call(functions.moduleGetFunction, scratch().out(), module, text.address());
            if (code == NOT_FOUND) {
                call(functions.getLastError);
                return 0;
            }
            check(code, functions.moduleGetFunction, name);
            long function = scratch().asLong();
            makeResident(function, name);
            return function;
        }
    }

    /** Brings a kernel to the device, if the driver would otherwise do that at its first launch. */
    abstract void makeResident(long function, String name);

    @Override
    public final int launch(long function, LaunchShape shape, MemorySegment arguments, long stream) {
        try {
            return GpuCalls.launch(functions.launchKernel, function, shape, stream, scratch().extra(arguments));
        } finally {
            Reference.reachabilityFence(arguments);
        }
    }

    @Override
    public final ProxyResult result(int code) {
        return GpuErrors.result(code);
    }

    @Override
    public final String errorName(int code) {
        return GpuCalls.text(functions.getErrorName, code) + " (" + code + ")";
    }

    final void check(int code, CFunction function, long handle) {
        if (code != SUCCESS) {
            throw failure(code, function, "0x" + Long.toHexString(handle));
        }
    }

    final void check(int code, CFunction function, String what) {
        if (code != SUCCESS) {
            throw failure(code, function, what);
        }
    }

    /** The driver would report this error to another caller's next query, so it is queried here. */
    private ProxyException failure(int code, CFunction function, String what) {
        call(functions.getLastError);
        ProxyResult result = result(code);
        String device = call(functions.getDevice, scratch().out()) == SUCCESS ? kind() + ":" + scratch().asInt() + ": "
                : "";
        return new ProxyException(result.isError() ? result : ProxyResult.UNHANDLED_DEVICE_ERROR, device
                + function.name() + (what.isEmpty() ? "" : " of " + what) + ": " + errorName(code)
                + GpuErrors.advice(code));
    }

    /** Refuses what this driver does not have. */
    final void need(CFunction function) {
        if (!function.exists()) {
            throw new ProxyException(ProxyResult.INVALID_USAGE, version() + " has no " + function.name());
        }
    }
}

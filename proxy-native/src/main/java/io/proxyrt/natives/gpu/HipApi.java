/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.natives.gpu;

import static io.proxyrt.natives.CCalls.call;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.natives.CFunction;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** HIP 5, 6 and 7. What differs between them is decided by the version that the library tells. */
final class HipApi extends GpuBinding {
    static final long LAUNCH_PARAM_END = 3;
    /** The first with virtual memory. */
    private static final int OLDEST = 5_01_00000;
    private static final int VERSION_6 = 6_00_00000;
    /** From here on {@code hipMemImportFromShareableHandle} takes the descriptor, as CUDA does, and not its address. */
    private static final int IMPORTS_BY_VALUE = 7_01_00000;
    // Of hipDeviceAttribute_t.
    static final int ASYNC_ENGINE_COUNT = 2;
    static final int MAX_THREADS_PER_BLOCK = 56;
    static final int MULTIPROCESSOR_COUNT = 63;
    static final int MAX_SHARED_MEMORY_PER_BLOCK = 74;
    static final int WARP_SIZE = 87;
    static final int VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED = 89;
    static final int HOST_NUMA_ID = 92;
    static final int HDP_MEM_FLUSH_CNTL = 10005;
    static final int FINE_GRAIN_SUPPORT = 10016;
    /** {@code hipDeviceMallocFinegrained}. */
    static final int FINE_GRAINED = 1;
    /** {@code hipIpcMemLazyEnablePeerAccess} of HIP 5, or of some of them. */
    static final int LAZY_ENABLE_PEER_ACCESS_5 = 0;
    /** {@code hipHostMallocCoherent}: for HIP, other flags would otherwise mean that caches may keep it. */
    static final int COHERENT = 0x4000_0000;
    /** More than {@code hipDeviceProp_t} has in any version. */
    static final int PROPERTIES_BYTES = 4096;
    static final int ARCHITECTURE_5 = 396;
    static final int ARCHITECTURE_6 = 1160;

    static final GpuPointers.Types MEMORY_TYPES_5 = new GpuPointers.Types(0, 1, 3);
    static final GpuPointers.Types MEMORY_TYPES_6 = new GpuPointers.Types(1, 2, 3);

    private static final Map<GpuAttribute, Integer> NUMBERS = Map.of(
            GpuAttribute.PROCESSORS, MULTIPROCESSOR_COUNT, GpuAttribute.WARP_SIZE, WARP_SIZE,
            GpuAttribute.ASYNC_ENGINES, ASYNC_ENGINE_COUNT, GpuAttribute.MAX_BLOCK_THREADS, MAX_THREADS_PER_BLOCK,
            GpuAttribute.MAX_SHARED_BYTES, MAX_SHARED_MEMORY_PER_BLOCK,
            GpuAttribute.POSIX_FD_HANDLES, VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED,
            GpuAttribute.NUMA_NODE, HOST_NUMA_ID);

    private final int number;
    private final CFunction properties;
    private final CFunction properties6;
    private final CFunction extMalloc;
    private final HsaLibrary hsa;

    private HipApi(int number, Found found, GpuLibrary.Symbols symbols, HsaLibrary hsa) {
        super(found, NUMBERS, number < VERSION_6 ? MemDescriptor.HIP_5 : MemDescriptor.HIP_6,
                number < VERSION_6 ? MEMORY_TYPES_5 : MEMORY_TYPES_6, LAUNCH_PARAM_END);
        this.number = number;
        this.properties = symbols.find("hipGetDeviceProperties");
        this.properties6 = symbols.find("hipGetDevicePropertiesR0600");
        this.extMalloc = symbols.find("hipExtMallocWithFlags");
        this.hsa = hsa;
    }

    /** Loads the libraries. @param failures gets why not */
    static Optional<HipApi> open(List<Path> folders, List<String> failures) {
        Optional<GpuLibrary> library = GpuLibrary.find(
                folders, failures, "libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5");
        if (library.isEmpty()) {
            failures.add("there is no libamdhip64.so.7, .6 or .5: install the HIP runtime of ROCm, or name its folder "
                    + "by " + GpuOptions.HIP_LIBRARY_PATH.key());
        }
        return library.flatMap(hip -> open(hip, folders, failures));
    }

    private static Optional<HipApi> open(GpuLibrary hip, List<Path> folders, List<String> failures) {
        GpuLibrary.Symbols symbols = new GpuLibrary.Symbols(hip);
        GpuFunctions functions = GpuFunctions.ofHip(symbols);
        CFunction init = symbols.need("hipInit");
        CFunction runtimeVersion = symbols.need("hipRuntimeGetVersion");
        if (!symbols.whyNot().isEmpty()) {
            failures.add(symbols.whyNot());
            return Optional.empty();
        }
        // What it fails of is told by what is asked first.
        call(init, 0);
        GpuScratch scratch = new GpuScratch(LAUNCH_PARAM_END);
        int number = call(runtimeVersion, scratch.out(0)) == SUCCESS ? scratch.asInt() : 0;
        String version = "HIP " + number / 10_000_000 + "." + number / 100_000 % 100 + "." + number % 100_000 + " ("
                + hip.name() + ")";
        if (number < OLDEST) {
            failures.add(version + ": 5.1 is the oldest that is known");
            return Optional.empty();
        }
        HsaLibrary hsa = HsaLibrary.find(hip, folders);
        GpuCompiler compiler = HipRtcCompiler.find(number / 10_000_000, hip, folders);
        return Optional.of(new HipApi(number, new Found(version, functions, compiler), symbols, hsa));
    }

    @Override
    public String kind() {
        return GpuDriver.HIP;
    }

    @Override
    boolean exportsDmaBuf(int ordinal) {
        return hsa.exportsDmaBuf();
    }

    @Override
    boolean needsFlush(int ordinal) {
        return false;
    }

    /** Its features, such as {@code :sramecc+:xnack-}, are left out: code for none in particular runs with any. */
    @Override
    public String architecture(int ordinal) {
        CFunction function = properties6.exists() ? properties6 : properties;
        need(function);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment memory = arena.allocate(PROPERTIES_BYTES, Long.BYTES);
            check(call(function, memory.address(), ordinal), function, "device " + ordinal);
            String name = memory.getString(properties6.exists() ? ARCHITECTURE_6 : ARCHITECTURE_5);
            int colon = name.indexOf(':');
            return colon < 0 ? name : name.substring(0, colon);
        }
    }

    @Override
    int hostAllocFlags() {
        return PORTABLE_AND_MAPPED | COHERENT;
    }

    /** ROCm 7 has none yet. */
    @Override
    public boolean hasMemcpyBatch() {
        return false;
    }

    @Override
    public int memcpyBatchAsync(GpuBatch batch, long stream) {
        throw new ProxyException(ProxyResult.INVALID_USAGE, version() + " has no batches of copies");
    }

    @Override
    boolean reachesAdapters(int ordinal) {
        return false;
    }

    @Override
    void makeResident(long function, String name) {
        // HIP has all of a module on the device.
    }

    @Override
    int openIpc(MemorySegment handle) {
        if (number >= VERSION_6) {
            return super.openIpc(handle);
        }
        int code = GpuCalls.openIpc(
                functions.ipcOpenMemHandle, scratch().out(), handle, LAZY_ENABLE_PEER_ACCESS_5);
        return code == INVALID_VALUE ? super.openIpc(handle) : code;
    }

    /** Fine-grained where the device can: other memory may stay in caches until a kernel ends. */
    @Override
    public long malloc(long bytes) {
        if (!isFineGrained()) {
            return super.malloc(bytes);
        }
        return allocated(relaxed.call(() -> call(extMalloc, scratch().out(), bytes, FINE_GRAINED)), extMalloc, bytes);
    }

    private boolean isFineGrained() {
        return extMalloc.exists() && call(functions.getDevice, scratch().out()) == SUCCESS
                && ask(FINE_GRAIN_SUPPORT, scratch().asInt()) == 1;
    }

    @Override
    public long memImport(int fd) {
        if (number >= IMPORTS_BY_VALUE) {
            return super.memImport(fd);
        }
        try (Arena arena = Arena.ofConfined()) {
            return importHandle(fd, arena.allocateFrom(JAVA_INT, fd).address());
        }
    }

    @Override
    public int exportDmaBuf(long address, long bytes, MemorySegment offset) {
        return hsa.exportDmaBuf(address, bytes, offset);
    }

    @Override
    @SuppressWarnings("restricted")
    public MemorySegment hdpRegister(int ordinal) {
        int code = call(functions.deviceGetAttribute, scratch().out(0), HDP_MEM_FLUSH_CNTL, ordinal);
        long address = scratch().asLong();
        return code != SUCCESS || address == 0 ? null : MemorySegment.ofAddress(address).reinterpret(Integer.BYTES);
    }

    @Override
    public int flushRemoteWrites() {
        return GpuErrors.NOT_SUPPORTED;
    }
}

/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.natives.gpu;

import static io.proxyrt.natives.CCalls.call;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.proxyrt.core.LinkType;
import io.proxyrt.natives.CFunction;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** CUDA 12 and 13: the runtime for what it has, and the driver for the rest. Both use a device's primary context. */
final class CudaApi extends GpuBinding {
    static final long LAUNCH_PARAM_END = 0;
    private static final int OLDEST = 12_00_0;
    // Of CUdevice_attribute.
    static final int MAX_THREADS_PER_BLOCK = 1;
    static final int MAX_SHARED_MEMORY_PER_BLOCK = 8;
    static final int WARP_SIZE = 10;
    static final int MULTIPROCESSOR_COUNT = 16;
    static final int ASYNC_ENGINE_COUNT = 40;
    static final int COMPUTE_CAPABILITY_MAJOR = 75;
    static final int COMPUTE_CAPABILITY_MINOR = 76;
    static final int HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED = 103;
    static final int GPU_DIRECT_RDMA_WITH_CUDA_VMM_SUPPORTED = 110;
    static final int GPU_DIRECT_RDMA_FLUSH_WRITES_OPTIONS = 117;
    static final int GPU_DIRECT_RDMA_WRITES_ORDERING = 118;
    static final int DMA_BUF_SUPPORTED = 124;
    static final int MPS_ENABLED = 133;
    static final int HOST_NUMA_ID = 134;
    // Of GPUDirect.
    static final int FLUSH_OPTION_HOST = 1;
    static final int TARGET_CURRENT_CONTEXT = 0;
    static final int TO_OWNER = 100;
    static final int RANGE_HANDLE_TYPE_DMA_BUF_FD = 1;
    // Of cudaDeviceP2PAttr.
    static final int NATIVE_ATOMIC_SUPPORTED = 3;

    /** An attribute tells what is managed. */
    static final GpuPointers.Types MEMORY_TYPES = new GpuPointers.Types(1, 2, 4);

    private static final Map<GpuAttribute, Integer> NUMBERS = Map.of(
            GpuAttribute.PROCESSORS, MULTIPROCESSOR_COUNT, GpuAttribute.WARP_SIZE, WARP_SIZE,
            GpuAttribute.ASYNC_ENGINES, ASYNC_ENGINE_COUNT, GpuAttribute.MAX_BLOCK_THREADS, MAX_THREADS_PER_BLOCK,
            GpuAttribute.MAX_SHARED_BYTES, MAX_SHARED_MEMORY_PER_BLOCK,
            GpuAttribute.POSIX_FD_HANDLES, HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED,
            GpuAttribute.CONCURRENT_PROCESSES, MPS_ENABLED, GpuAttribute.NUMA_NODE, HOST_NUMA_ID);

    private final CFunction flush;
    private final CFunction rangeHandle;
    private final CFunction load;
    private final CFunction peerAttribute;
    private final CFunction copyBatch;

    private CudaApi(Found found, GpuLibrary.Symbols symbols) {
        super(found, NUMBERS, MemDescriptor.CUDA, MEMORY_TYPES, LAUNCH_PARAM_END);
        this.flush = symbols.find("cuFlushGPUDirectRDMAWrites");
        this.rangeHandle = symbols.find("cuMemGetHandleForAddressRange");
        this.load = symbols.find("cuFuncLoad");
        this.peerAttribute = symbols.find("cudaDeviceGetP2PAttribute");
        this.copyBatch = symbols.find("cuMemcpyBatchAsync");
    }

    /**
     * Loads the libraries. The driver is the first, for the runtime asks the system for it by its soname, and so gets
     * the one that is there already.
     *
     * @param failures gets why not
     */
    static Optional<CudaApi> open(List<Path> folders, List<String> failures) {
        Optional<GpuLibrary> driver = GpuLibrary.find(folders, failures, "libcuda.so.1");
        Optional<GpuLibrary> runtime = driver.flatMap(
                loaded -> GpuLibrary.find(folders, failures, "libcudart.so.13", "libcudart.so.12"));
        if (runtime.isEmpty()) {
            failures.add(driver.isEmpty() ? "there is no libcuda.so.1, which comes with NVIDIA's driver" : "there is"
                    + " no libcudart.so.13 or libcudart.so.12: install the CUDA runtime, or name its folder by "
                    + GpuOptions.CUDA_LIBRARY_PATH.key());
            return Optional.empty();
        }
        return open(driver.get(), runtime.get(), folders, failures);
    }

    private static Optional<CudaApi> open(
            GpuLibrary driver, GpuLibrary runtime, List<Path> folders, List<String> failures) {
        GpuLibrary.Symbols symbols = new GpuLibrary.Symbols(runtime, driver);
        GpuFunctions functions = GpuFunctions.ofCuda(symbols);
        CFunction init = symbols.need("cuInit");
        CFunction runtimeVersion = symbols.need("cudaRuntimeGetVersion");
        CFunction driverVersion = symbols.need("cudaDriverGetVersion");
        if (!symbols.whyNot().isEmpty()) {
            failures.add(symbols.whyNot());
            return Optional.empty();
        }
        // What it fails of is told by what is asked first.
        call(init, 0);
        int number = version(runtimeVersion);
        String version = "CUDA runtime " + text(number) + " (" + runtime.name() + "), driver "
                + text(version(driverVersion)) + " (" + driver.name() + ")";
        if (number < OLDEST) {
            failures.add(version + ": 12.0 is the oldest that is known");
            return Optional.empty();
        }
        return Optional.of(new CudaApi(new Found(version, functions, NvrtcCompiler.find(folders)), symbols));
    }

    private static int version(CFunction function) {
        GpuScratch scratch = new GpuScratch(LAUNCH_PARAM_END);
        return call(function, scratch.out(0)) == SUCCESS ? scratch.asInt() : 0;
    }

    private static String text(int version) {
        return version == 0 ? "unknown" : version / 1000 + "." + version % 1000 / 10;
    }

    @Override
    public String kind() {
        return GpuDriver.CUDA;
    }

    @Override
    boolean exportsDmaBuf(int ordinal) {
        return rangeHandle.exists() && ask(DMA_BUF_SUPPORTED, ordinal) == 1;
    }

    /** Atomics go over NVLink, and not over PCI. */
    @Override
    public LinkType link(int ordinal, int peer) {
        return peerAttribute.exists()
                && call(peerAttribute, scratch().out(), NATIVE_ATOMIC_SUPPORTED, ordinal, peer) == SUCCESS
                && scratch().asInt() == 1 ? LinkType.NVLINK : LinkType.UNKNOWN;
    }

    @Override
    boolean needsFlush(int ordinal) {
        return flush.exists() && (ask(GPU_DIRECT_RDMA_FLUSH_WRITES_OPTIONS, ordinal) & FLUSH_OPTION_HOST) != 0
                && ask(GPU_DIRECT_RDMA_WRITES_ORDERING, ordinal) < TO_OWNER;
    }

    @Override
    public String architecture(int ordinal) {
        return "sm_" + ask(COMPUTE_CAPABILITY_MAJOR, ordinal) + ask(COMPUTE_CAPABILITY_MINOR, ordinal);
    }

    @Override
    int hostAllocFlags() {
        return PORTABLE_AND_MAPPED;
    }

    @Override
    public boolean hasMemcpyBatch() {
        return copyBatch.exists();
    }

    @Override
    public int memcpyBatchAsync(GpuBatch batch, long stream) {
        return GpuCalls.copyBatch(copyBatch, batch, stream);
    }

    @Override
    boolean reachesAdapters(int ordinal) {
        return ask(GPU_DIRECT_RDMA_WITH_CUDA_VMM_SUPPORTED, ordinal) == 1;
    }

    /** A kernel that is loaded when it is launched waits for those that run, which may wait for what it would do. */
    @Override
    void makeResident(long function, String name) {
        if (load.exists()) {
            check(call(load, function), load, name);
        }
    }

    @Override
    public int exportDmaBuf(long address, long bytes, MemorySegment offset) {
        need(rangeHandle);
        check(call(rangeHandle, scratch().out(-1), address, bytes, RANGE_HANDLE_TYPE_DMA_BUF_FD, 0), rangeHandle,
                bytes + " bytes at 0x" + Long.toHexString(address));
        offset.set(JAVA_LONG, 0, 0);
        return scratch().asInt();
    }

    @Override
    public MemorySegment hdpRegister(int ordinal) {
        return null;
    }

    @Override
    public int flushRemoteWrites() {
        return flush.exists() ? call(flush, TARGET_CURRENT_CONTEXT, TO_OWNER) : GpuErrors.NOT_SUPPORTED;
    }
}

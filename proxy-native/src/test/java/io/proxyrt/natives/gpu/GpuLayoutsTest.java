/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.natives.gpu;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Numbers and offsets of the bindings are those of the drivers' headers. */
class GpuLayoutsTest {
    private static final Path CUDA_HEADERS = Path.of("/usr/local/cuda/include");
    private static final Path HIP_HEADERS = Path.of("/usr/include");

    @TempDir
    private Path folder;

    private Map<String, Long> table;
    private final Set<String> checked = new HashSet<>();

    @Test
    void shouldHaveCudasValues() throws IOException {
        table = HeaderValues.table("cuda-13.0.txt");

        checkRuntime("cuda");
        check("CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK", CudaApi.MAX_THREADS_PER_BLOCK);
        check("CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK", CudaApi.MAX_SHARED_MEMORY_PER_BLOCK);
        check("CU_DEVICE_ATTRIBUTE_WARP_SIZE", CudaApi.WARP_SIZE);
        check("CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT", CudaApi.MULTIPROCESSOR_COUNT);
        check("CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT", CudaApi.ASYNC_ENGINE_COUNT);
        check("CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR", CudaApi.COMPUTE_CAPABILITY_MAJOR);
        check("CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR", CudaApi.COMPUTE_CAPABILITY_MINOR);
        check("CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED",
                CudaApi.HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED);
        check("CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_WITH_CUDA_VMM_SUPPORTED",
                CudaApi.GPU_DIRECT_RDMA_WITH_CUDA_VMM_SUPPORTED);
        check("CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_FLUSH_WRITES_OPTIONS", CudaApi.GPU_DIRECT_RDMA_FLUSH_WRITES_OPTIONS);
        check("CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_WRITES_ORDERING", CudaApi.GPU_DIRECT_RDMA_WRITES_ORDERING);
        check("CU_DEVICE_ATTRIBUTE_DMA_BUF_SUPPORTED", CudaApi.DMA_BUF_SUPPORTED);
        check("CU_DEVICE_ATTRIBUTE_MPS_ENABLED", CudaApi.MPS_ENABLED);
        check("CU_DEVICE_ATTRIBUTE_HOST_NUMA_ID", CudaApi.HOST_NUMA_ID);
        check("CU_FLUSH_GPU_DIRECT_RDMA_WRITES_OPTION_HOST", CudaApi.FLUSH_OPTION_HOST);
        check("CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TARGET_CURRENT_CTX", CudaApi.TARGET_CURRENT_CONTEXT);
        check("CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TO_OWNER", CudaApi.TO_OWNER);
        check("CU_MEM_RANGE_HANDLE_TYPE_DMA_BUF_FD", CudaApi.RANGE_HANDLE_TYPE_DMA_BUF_FD);
        check("CU_MEM_ALLOC_GRANULARITY_RECOMMENDED", GpuBinding.GRANULARITY_RECOMMENDED);
        check("CU_MEM_ALLOCATION_TYPE_PINNED", MemDescriptor.PINNED);
        check("CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR", MemDescriptor.POSIX_FILE_DESCRIPTOR);
        check("CU_MEM_LOCATION_TYPE_DEVICE", MemDescriptor.LOCATION_DEVICE);
        check("CU_MEM_ACCESS_FLAGS_PROT_READWRITE", MemDescriptor.READ_WRITE);
        check("sizeof(CUmemAllocationProp)", MemDescriptor.BYTES);
        check("offsetof(CUmemAllocationProp,type)", MemDescriptor.CUDA.type());
        check("offsetof(CUmemAllocationProp,requestedHandleTypes)", MemDescriptor.CUDA.handleType());
        check("offsetof(CUmemAllocationProp,location.type)", MemDescriptor.CUDA.location());
        check("offsetof(CUmemAllocationProp,location.id)", MemDescriptor.CUDA.location() + Integer.BYTES);
        check("offsetof(CUmemAllocationProp,allocFlags.gpuDirectRDMACapable)", MemDescriptor.CUDA.rdma());
        check("sizeof(CUmemAccessDesc)", MemDescriptor.ACCESS_BYTES);
        check("offsetof(CUmemAccessDesc,location)", 0);
        check("offsetof(CUmemAccessDesc,flags)", MemDescriptor.ACCESS_FLAGS);
        check("sizeof(CUmemcpyAttributes)", GpuBatch.ATTRIBUTES_BYTES);
        check("offsetof(CUmemcpyAttributes,srcAccessOrder)", 0);
        check("CU_MEMCPY_SRC_ACCESS_ORDER_STREAM", GpuBatch.ORDER_STREAM);
        check("CU_LAUNCH_PARAM_BUFFER_POINTER", GpuScratch.BUFFER_POINTER);
        check("CU_LAUNCH_PARAM_BUFFER_SIZE", GpuScratch.BUFFER_SIZE);
        check("CU_LAUNCH_PARAM_END", CudaApi.LAUNCH_PARAM_END);
        check("sizeof(CUipcMemHandle)", GpuApi.IPC_HANDLE_BYTES);
        check("CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS", GpuBinding.LAZY_ENABLE_PEER_ACCESS);
        check("cudaHostAllocPortable|cudaHostAllocMapped", GpuBinding.PORTABLE_AND_MAPPED);
        check("cudaHostRegisterPortable|cudaHostRegisterMapped", GpuBinding.PORTABLE_AND_MAPPED);
        check("CUDA_ERROR_NOT_FOUND", GpuBinding.NOT_FOUND);
        checkPointers("CU_POINTER_ATTRIBUTE_", "CUDA");
        check("CU_MEMORYTYPE_HOST", CudaApi.MEMORY_TYPES.host());
        check("CU_MEMORYTYPE_DEVICE", CudaApi.MEMORY_TYPES.device());
        check("CU_MEMORYTYPE_UNIFIED", CudaApi.MEMORY_TYPES.managed());
        assertEquals(table.keySet(), checked);
    }

    @Test
    void shouldHaveTheValuesOfHip5() throws IOException {
        table = HeaderValues.table("hip-5.2.txt");

        checkHip(MemDescriptor.HIP_5);
        checkRuntime("hip");
        check("hipDeviceAttributeAsyncEngineCount", HipApi.ASYNC_ENGINE_COUNT);
        check("hipDeviceAttributeMaxThreadsPerBlock", HipApi.MAX_THREADS_PER_BLOCK);
        check("hipDeviceAttributeMaxSharedMemoryPerBlock", HipApi.MAX_SHARED_MEMORY_PER_BLOCK);
        check("hipDeviceMallocFinegrained", HipApi.FINE_GRAINED);
        check("hipHostMallocPortable|hipHostMallocMapped", GpuBinding.PORTABLE_AND_MAPPED);
        check("hipHostRegisterPortable|hipHostRegisterMapped", GpuBinding.PORTABLE_AND_MAPPED);
        check("hipIpcMemLazyEnablePeerAccess", HipApi.LAZY_ENABLE_PEER_ACCESS_5);
        check("offsetof(hipDeviceProp_t,gcnArchName)", HipApi.ARCHITECTURE_5);
        check("offsetof(hipMemAllocationProp,location.type)", MemDescriptor.HIP_5.location());
        check("offsetof(hipMemAllocationProp,location.id)", MemDescriptor.HIP_5.location() + Integer.BYTES);
        check("sizeof(hipMemAccessDesc)", MemDescriptor.ACCESS_BYTES);
        check("offsetof(hipMemAccessDesc,location)", 0);
        check("offsetof(hipMemAccessDesc,flags)", MemDescriptor.ACCESS_FLAGS);
        check("hipMemAllocationGranularityRecommended", GpuBinding.GRANULARITY_RECOMMENDED);
        check("HIP_LAUNCH_PARAM_BUFFER_POINTER", GpuScratch.BUFFER_POINTER);
        check("HIP_LAUNCH_PARAM_BUFFER_SIZE", GpuScratch.BUFFER_SIZE);
        check("HIP_LAUNCH_PARAM_END", HipApi.LAUNCH_PARAM_END);
        check("sizeof(hipIpcMemHandle_t)", GpuApi.IPC_HANDLE_BYTES);
        check("hipErrorNotFound", GpuBinding.NOT_FOUND);
        checkPointers("HIP_POINTER_ATTRIBUTE_", "HIP");
        check("hipMemoryTypeHost", HipApi.MEMORY_TYPES_5.host());
        check("hipMemoryTypeDevice", HipApi.MEMORY_TYPES_5.device());
        check("hipMemoryTypeUnified", HipApi.MEMORY_TYPES_5.managed());
        assertEquals(table.keySet(), checked);
    }

    @Test
    void shouldHaveTheValuesOfHip6() throws IOException {
        table = HeaderValues.table("hip-6.4.txt");

        checkHip(MemDescriptor.HIP_6);
        check("hipDeviceAttributeVirtualMemoryManagementSupported", HipApi.VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED);
        check("hipIpcMemLazyEnablePeerAccess", GpuBinding.LAZY_ENABLE_PEER_ACCESS);
        check("offsetof(hipDeviceProp_t,gcnArchName)", HipApi.ARCHITECTURE_6);
        check("offsetof(hipMemAllocationProp,location)", MemDescriptor.HIP_6.location());
        check("hipMemAllocationTypeUncached", MemDescriptor.UNCACHED);
        check("hipMemoryTypeHost", HipApi.MEMORY_TYPES_6.host());
        check("hipMemoryTypeDevice", HipApi.MEMORY_TYPES_6.device());
        check("hipMemoryTypeManaged", HipApi.MEMORY_TYPES_6.managed());
        check("hipErrorNoDevice", GpuErrors.NO_DEVICE);
        check("hipErrorNotReady", GpuApi.NOT_READY);
        check("hipErrorNotSupported", GpuErrors.NOT_SUPPORTED);
        assertEquals(table.keySet(), checked);
    }

    @Test
    void shouldReadCudasHeadersAsACompilerDoes() throws IOException, InterruptedException {
        Path header = CUDA_HEADERS.resolve("cuda.h");
        assumeTrue(Files.exists(header) && Files.readString(header).contains("#define CUDA_VERSION 13000"),
                "CUDA 13.0 is not installed");
        Map<String, Long> values = HeaderValues.table("cuda-13.0.txt");

        assertEquals(values, HeaderValues.compiled(
                folder, CUDA_HEADERS, List.of("cuda.h", "cuda_runtime_api.h"), values.keySet()));
    }

    @Test
    void shouldReadHipsHeadersAsACompilerDoes() throws IOException, InterruptedException {
        Path version = HIP_HEADERS.resolve("hip/hip_version.h");
        assumeTrue(Files.exists(version) && Files.readString(version).contains("HIP_VERSION_MAJOR 5"),
                "the headers of HIP 5 (libamdhip64-dev) are not installed");
        Map<String, Long> values = HeaderValues.table("hip-5.2.txt");

        assertEquals(values, HeaderValues.compiled(
                folder, HIP_HEADERS, List.of("hip/hip_runtime_api.h"), values.keySet()));
    }

    /** What both runtimes have, by the prefix of one. */
    private void checkRuntime(String prefix) {
        check(prefix + "StreamNonBlocking", GpuBinding.NON_BLOCKING);
        check(prefix + "EventDisableTiming", GpuBinding.DISABLE_TIMING);
        check(prefix + "MemcpyDefault", GpuBinding.MEMCPY_DEFAULT);
        check(prefix + "ErrorInvalidValue", GpuBinding.INVALID_VALUE);
        check(prefix + "ErrorInsufficientDriver", GpuErrors.INSUFFICIENT_DRIVER);
        check(prefix + "ErrorNoDevice", GpuErrors.NO_DEVICE);
        check(prefix + "ErrorInvalidDevice", GpuErrors.INVALID_DEVICE);
        check(prefix + "ErrorNotReady", GpuApi.NOT_READY);
        check(prefix + "ErrorPeerAccessAlreadyEnabled", GpuBinding.PEER_ACCESS_ALREADY_ENABLED);
        check(prefix + "ErrorNotSupported", GpuErrors.NOT_SUPPORTED);
    }

    private void checkPointers(String prefix, String vendor) {
        check(prefix + "MEMORY_TYPE", GpuPointers.MEMORY_TYPE);
        check(prefix + "DEVICE_POINTER", GpuPointers.DEVICE_POINTER);
        check(prefix + "IS_MANAGED", GpuPointers.IS_MANAGED);
        check(prefix + "DEVICE_ORDINAL", GpuPointers.DEVICE_ORDINAL);
        check(prefix + "IS_LEGACY_" + vendor + "_IPC_CAPABLE", GpuPointers.IS_LEGACY_IPC_CAPABLE);
        check(prefix + "RANGE_START_ADDR", GpuPointers.RANGE_START);
        check(prefix + "RANGE_SIZE", GpuPointers.RANGE_BYTES);
    }

    /** What all versions have, although not all in one place. */
    private void checkHip(MemDescriptor descriptor) {
        assertTrue(table.get("sizeof(hipDeviceProp_t)") <= HipApi.PROPERTIES_BYTES);
        checked.add("sizeof(hipDeviceProp_t)");
        check("offsetof(hipMemAllocationProp,type)", descriptor.type());
        check("offsetof(hipMemAllocationProp,requestedHandleType)", descriptor.handleType());
        check("hipDeviceAttributeMultiprocessorCount", HipApi.MULTIPROCESSOR_COUNT);
        check("hipDeviceAttributeWarpSize", HipApi.WARP_SIZE);
        check("hipDeviceAttributeHdpMemFlushCntl", HipApi.HDP_MEM_FLUSH_CNTL);
        check("hipDeviceAttributeFineGrainSupport", HipApi.FINE_GRAIN_SUPPORT);
        check("hipHostMallocCoherent", HipApi.COHERENT);
        check("sizeof(hipMemAllocationProp)", MemDescriptor.BYTES);
        check("hipMemAllocationTypePinned", MemDescriptor.PINNED);
        check("hipMemHandleTypePosixFileDescriptor", MemDescriptor.POSIX_FILE_DESCRIPTOR);
        check("hipMemLocationTypeDevice", MemDescriptor.LOCATION_DEVICE);
        check("hipMemAccessFlagsProtReadWrite", MemDescriptor.READ_WRITE);
    }

    private void check(String expression, long ours) {
        assertEquals(table.get(expression), Long.valueOf(ours), expression);
        checked.add(expression);
    }
}

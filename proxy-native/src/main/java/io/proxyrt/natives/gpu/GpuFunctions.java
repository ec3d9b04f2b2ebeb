/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.natives.gpu;

import io.proxyrt.natives.CFunction;

/**
 * What {@link GpuBinding} calls, under the names that CUDA and HIP have for it. They take and give the same.
 */
final class GpuFunctions {
    final CFunction getErrorName;
    final CFunction getLastError;
    final CFunction getDeviceCount;
    final CFunction setDevice;
    final CFunction getDevice;
    final CFunction deviceGet;
    final CFunction deviceGetAttribute;
    final CFunction deviceGetName;
    final CFunction deviceTotalMem;
    final CFunction deviceGetPciBusId;
    final CFunction malloc;
    final CFunction free;
    final CFunction hostAlloc;
    final CFunction freeHost;
    final CFunction hostRegister;
    final CFunction hostUnregister;
    final CFunction hostGetDevicePointer;
    final CFunction pointerGetAttribute;
    final CFunction memGetAddressRange;
    final CFunction memset;
    final CFunction streamCreateWithFlags;
    final CFunction streamDestroy;
    final CFunction streamQuery;
    final CFunction streamSynchronize;
    final CFunction streamWaitEvent;
    final CFunction streamWriteValue64;
    final CFunction memcpyAsync;
    final CFunction memcpyPeerAsync;
    final CFunction eventCreateWithFlags;
    final CFunction eventDestroy;
    final CFunction eventRecord;
    final CFunction eventQuery;
    final CFunction ipcGetMemHandle;
    final CFunction ipcOpenMemHandle;
    final CFunction ipcCloseMemHandle;
    final CFunction memGetAllocationGranularity;
    final CFunction memCreate;
    final CFunction memRelease;
    final CFunction memExportToShareableHandle;
    final CFunction memImportFromShareableHandle;
    final CFunction memAddressReserve;
    final CFunction memAddressFree;
    final CFunction memMap;
    final CFunction memUnmap;
    final CFunction memSetAccess;
    final CFunction deviceCanAccessPeer;
    final CFunction deviceEnablePeerAccess;
    final CFunction moduleLoadData;
    final CFunction moduleUnload;
    final CFunction moduleGetFunction;
    final CFunction launchKernel;
    /** Those that not every version has. */
    final GpuGraphs graphs;

    private GpuFunctions(boolean cuda, GpuLibrary.Symbols symbols) {
        Names names = (ofCuda, ofHip) -> symbols.need(cuda ? ofCuda : ofHip);
        getErrorName = names.of("cudaGetErrorName", "hipGetErrorName");
        getLastError = names.of("cudaGetLastError", "hipGetLastError");
        getDeviceCount = names.of("cudaGetDeviceCount", "hipGetDeviceCount");
        setDevice = names.of("cudaSetDevice", "hipSetDevice");
        getDevice = names.of("cudaGetDevice", "hipGetDevice");
        deviceGet = names.of("cuDeviceGet", "hipDeviceGet");
        deviceGetAttribute = names.of("cuDeviceGetAttribute", "hipDeviceGetAttribute");
        deviceGetName = names.of("cuDeviceGetName", "hipDeviceGetName");
        deviceTotalMem = names.of("cuDeviceTotalMem_v2", "hipDeviceTotalMem");
        deviceGetPciBusId = names.of("cudaDeviceGetPCIBusId", "hipDeviceGetPCIBusId");
        malloc = names.of("cudaMalloc", "hipMalloc");
        free = names.of("cudaFree", "hipFree");
        hostAlloc = names.of("cudaHostAlloc", "hipHostMalloc");
        freeHost = names.of("cudaFreeHost", "hipHostFree");
        hostRegister = names.of("cudaHostRegister", "hipHostRegister");
        hostUnregister = names.of("cudaHostUnregister", "hipHostUnregister");
        hostGetDevicePointer = names.of("cudaHostGetDevicePointer", "hipHostGetDevicePointer");
        pointerGetAttribute = names.of("cuPointerGetAttribute", "hipPointerGetAttribute");
        memGetAddressRange = names.of("cuMemGetAddressRange_v2", "hipMemGetAddressRange");
        memset = names.of("cudaMemset", "hipMemset");
        streamCreateWithFlags = names.of("cudaStreamCreateWithFlags", "hipStreamCreateWithFlags");
        streamDestroy = names.of("cudaStreamDestroy", "hipStreamDestroy");
        streamQuery = names.of("cudaStreamQuery", "hipStreamQuery");
        streamSynchronize = names.of("cudaStreamSynchronize", "hipStreamSynchronize");
        streamWaitEvent = names.of("cudaStreamWaitEvent", "hipStreamWaitEvent");
        streamWriteValue64 = names.of("cuStreamWriteValue64_v2", "hipStreamWriteValue64");
        memcpyAsync = names.of("cudaMemcpyAsync", "hipMemcpyAsync");
        memcpyPeerAsync = names.of("cudaMemcpyPeerAsync", "hipMemcpyPeerAsync");
        eventCreateWithFlags = names.of("cudaEventCreateWithFlags", "hipEventCreateWithFlags");
        eventDestroy = names.of("cudaEventDestroy", "hipEventDestroy");
        eventRecord = names.of("cudaEventRecord", "hipEventRecord");
        eventQuery = names.of("cudaEventQuery", "hipEventQuery");
        ipcGetMemHandle = names.of("cudaIpcGetMemHandle", "hipIpcGetMemHandle");
        ipcOpenMemHandle = names.of("cudaIpcOpenMemHandle", "hipIpcOpenMemHandle");
        ipcCloseMemHandle = names.of("cudaIpcCloseMemHandle", "hipIpcCloseMemHandle");
        memGetAllocationGranularity = names.of("cuMemGetAllocationGranularity", "hipMemGetAllocationGranularity");
        memCreate = names.of("cuMemCreate", "hipMemCreate");
        memRelease = names.of("cuMemRelease", "hipMemRelease");
        memExportToShareableHandle = names.of("cuMemExportToShareableHandle", "hipMemExportToShareableHandle");
        memImportFromShareableHandle = names.of("cuMemImportFromShareableHandle", "hipMemImportFromShareableHandle");
        memAddressReserve = names.of("cuMemAddressReserve", "hipMemAddressReserve");
        memAddressFree = names.of("cuMemAddressFree", "hipMemAddressFree");
        memMap = names.of("cuMemMap", "hipMemMap");
        memUnmap = names.of("cuMemUnmap", "hipMemUnmap");
        memSetAccess = names.of("cuMemSetAccess", "hipMemSetAccess");
        deviceCanAccessPeer = names.of("cudaDeviceCanAccessPeer", "hipDeviceCanAccessPeer");
        deviceEnablePeerAccess = names.of("cudaDeviceEnablePeerAccess", "hipDeviceEnablePeerAccess");
        moduleLoadData = names.of("cuModuleLoadData", "hipModuleLoadData");
        moduleUnload = names.of("cuModuleUnload", "hipModuleUnload");
        moduleGetFunction = names.of("cuModuleGetFunction", "hipModuleGetFunction");
        launchKernel = names.of("cuLaunchKernel", "hipModuleLaunchKernel");
        graphs = cuda ? GpuGraphs.ofCuda(symbols) : GpuGraphs.ofHip(symbols);
    }

    static GpuFunctions ofCuda(GpuLibrary.Symbols symbols) {
        return new GpuFunctions(true, symbols);
    }

    static GpuFunctions ofHip(GpuLibrary.Symbols symbols) {
        return new GpuFunctions(false, symbols);
    }

    @FunctionalInterface
    private interface Names {
        CFunction of(String ofCuda, String ofHip);
    }
}

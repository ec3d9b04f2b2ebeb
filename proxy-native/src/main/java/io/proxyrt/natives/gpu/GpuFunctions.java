/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.natives.gpu;

/**
 * What {@link GpuBinding} calls, under the names that CUDA and HIP have for it. They take and give the same.
 */
final class GpuFunctions {
    final GpuFunction getErrorName;
    final GpuFunction getLastError;
    final GpuFunction getDeviceCount;
    final GpuFunction setDevice;
    final GpuFunction getDevice;
    final GpuFunction deviceGet;
    final GpuFunction deviceGetAttribute;
    final GpuFunction deviceGetName;
    final GpuFunction deviceTotalMem;
    final GpuFunction deviceGetPciBusId;
    final GpuFunction malloc;
    final GpuFunction free;
    final GpuFunction hostAlloc;
    final GpuFunction freeHost;
    final GpuFunction hostRegister;
    final GpuFunction hostUnregister;
    final GpuFunction hostGetDevicePointer;
    final GpuFunction memset;
    final GpuFunction streamCreateWithFlags;
    final GpuFunction streamDestroy;
    final GpuFunction streamQuery;
    final GpuFunction streamSynchronize;
    final GpuFunction streamWaitEvent;
    final GpuFunction streamWriteValue64;
    final GpuFunction memcpyAsync;
    final GpuFunction memcpyPeerAsync;
    final GpuFunction eventCreateWithFlags;
    final GpuFunction eventDestroy;
    final GpuFunction eventRecord;
    final GpuFunction eventQuery;
    final GpuFunction ipcGetMemHandle;
    final GpuFunction ipcOpenMemHandle;
    final GpuFunction ipcCloseMemHandle;
    final GpuFunction memGetAllocationGranularity;
    final GpuFunction memCreate;
    final GpuFunction memRelease;
    final GpuFunction memExportToShareableHandle;
    final GpuFunction memImportFromShareableHandle;
    final GpuFunction memAddressReserve;
    final GpuFunction memAddressFree;
    final GpuFunction memMap;
    final GpuFunction memUnmap;
    final GpuFunction memSetAccess;
    final GpuFunction deviceCanAccessPeer;
    final GpuFunction deviceEnablePeerAccess;
    final GpuFunction moduleLoadData;
    final GpuFunction moduleUnload;
    final GpuFunction moduleGetFunction;
    final GpuFunction launchKernel;

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
    }

    static GpuFunctions ofCuda(GpuLibrary.Symbols symbols) {
        return new GpuFunctions(true, symbols);
    }

    static GpuFunctions ofHip(GpuLibrary.Symbols symbols) {
        return new GpuFunctions(false, symbols);
    }

    @FunctionalInterface
    private interface Names {
        GpuFunction of(String ofCuda, String ofHip);
    }
}

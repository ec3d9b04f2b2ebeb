/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
/* The names that CUDA and HIP have for their common numbers. */
#include "gpu.h"

struct error {
    int code;
    const char *cuda;
    const char *hip;
};

static const struct error errors[] = {
    {SUCCESS, "cudaSuccess", "hipSuccess"},
    {INVALID_VALUE, "cudaErrorInvalidValue", "hipErrorInvalidValue"},
    {OUT_OF_MEMORY, "cudaErrorMemoryAllocation", "hipErrorOutOfMemory"},
    {NOT_INITIALIZED, "cudaErrorInitializationError", "hipErrorNotInitialized"},
    {35, "cudaErrorInsufficientDriver", "hipErrorInsufficientDriver"},
    {NO_DEVICE, "cudaErrorNoDevice", "hipErrorNoDevice"},
    {INVALID_DEVICE, "cudaErrorInvalidDevice", "hipErrorInvalidDevice"},
    {INVALID_IMAGE, "cudaErrorInvalidKernelImage", "hipErrorInvalidImage"},
    {INVALID_CONTEXT, "cudaErrorDeviceUninitialized", "hipErrorInvalidContext"},
    {NO_BINARY, "cudaErrorNoKernelImageForDevice", "hipErrorNoBinaryForGpu"},
    {214, "cudaErrorECCUncorrectable", "hipErrorECCNotCorrectable"},
    {INVALID_HANDLE, "cudaErrorInvalidResourceHandle", "hipErrorInvalidHandle"},
    {NOT_FOUND, "cudaErrorSymbolNotFound", "hipErrorNotFound"},
    {NOT_READY, "cudaErrorNotReady", "hipErrorNotReady"},
    {ILLEGAL_ADDRESS, "cudaErrorIllegalAddress", "hipErrorIllegalAddress"},
    {LAUNCH_OUT_OF_RESOURCES, "cudaErrorLaunchOutOfResources", "hipErrorLaunchOutOfResources"},
    {702, "cudaErrorLaunchTimeout", "hipErrorLaunchTimeOut"},
    {PEER_ACCESS_ALREADY_ENABLED, "cudaErrorPeerAccessAlreadyEnabled", "hipErrorPeerAccessAlreadyEnabled"},
    {PEER_ACCESS_NOT_ENABLED, "cudaErrorPeerAccessNotEnabled", "hipErrorPeerAccessNotEnabled"},
    {ALREADY_REGISTERED, "cudaErrorHostMemoryAlreadyRegistered", "hipErrorHostMemoryAlreadyRegistered"},
    {NOT_REGISTERED, "cudaErrorHostMemoryNotRegistered", "hipErrorHostMemoryNotRegistered"},
    {719, "cudaErrorLaunchFailure", "hipErrorLaunchFailure"},
    {NOT_SUPPORTED, "cudaErrorNotSupported", "hipErrorNotSupported"},
    {CAPTURE_UNSUPPORTED, "cudaErrorStreamCaptureUnsupported", "hipErrorStreamCaptureUnsupported"},
    {CAPTURE_INVALIDATED, "cudaErrorStreamCaptureInvalidated", "hipErrorStreamCaptureInvalidated"},
    {999, "cudaErrorUnknown", "hipErrorUnknown"}
};

const char *error_name(int code) {
    for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++) {
        if (errors[i].code == code) {
#ifdef CUDA
            return errors[i].cuda;
#else
            return errors[i].hip;
#endif
        }
    }
    return NULL;
}

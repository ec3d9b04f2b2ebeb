/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.natives.gpu;

import io.proxyrt.core.ProxyResult;

/** What error codes mean. CUDA's runtime, its driver, and HIP number those alike that matter here. */
final class GpuErrors {
    static final int INSUFFICIENT_DRIVER = 35;
    private static final int STUB_LIBRARY = 34;
    static final int NO_DEVICE = 100;
    static final int INVALID_DEVICE = 101;
    static final int NOT_SUPPORTED = 801;
    /** {@code cudaErrorStreamCaptureUnsupported}. */
    private static final int FIRST_OF_CAPTURE = 900;
    /** {@code cudaErrorStreamCaptureWrongThread}. */
    private static final int LAST_OF_CAPTURE = 908;

    private GpuErrors() {
    }

    /** Of drivers without a device: which code it is differs between CUDA and HIP, and between their versions. */
    static boolean meansNoDevice(int code) {
        return code == STUB_LIBRARY || code == INSUFFICIENT_DRIVER || code == NO_DEVICE || code == INVALID_DEVICE;
    }

    /** A stream is being captured, and what was asked of it cannot be: nothing failed. */
    static boolean isOfCapture(int code) {
        return code >= FIRST_OF_CAPTURE && code <= LAST_OF_CAPTURE;
    }

    static ProxyResult result(int code) {
        return switch (code) {
            case GpuApi.SUCCESS -> ProxyResult.SUCCESS;
            case GpuApi.NOT_READY -> ProxyResult.IN_PROGRESS;
            // Invalid value, pitch, symbol, pointers, direction; configuration; device; image; no kernel for this
            // device; PTX; source; file and symbol not found; handle; name not found.
            case 1, 9, 12, 13, 16, 17, 21, INVALID_DEVICE, 200, 209, 218, 222, 300, 301, 302, 400, 500 ->
                    ProxyResult.INVALID_ARGUMENT;
            // Out of memory, stub, insufficient driver, no device, operating system, system not ready, mismatch.
            case 2, STUB_LIBRARY, INSUFFICIENT_DRIVER, NO_DEVICE, 304, 802, 803, 804 -> ProxyResult.SYSTEM_ERROR;
            // Not initialised, context, peer access unsupported, enabled, not enabled, memory already and not
            // registered, not permitted, not supported.
            case 3, 201, 217, 704, 705, 712, 713, 800, NOT_SUPPORTED -> ProxyResult.INVALID_USAGE;
            default -> isOfCapture(code) ? ProxyResult.INVALID_USAGE : ProxyResult.UNHANDLED_DEVICE_ERROR;
        };
    }

    /** What to do about it, where that is known. */
    static String advice(int code) {
        return switch (code) {
            case 2 -> "; the device, or what may be pinned (ulimit -l), has no more memory";
            case INSUFFICIENT_DRIVER -> "; the driver is older than this library needs: update it, or use an older "
                    + "library";
            case 201 -> "; no device was made current on this thread";
            case 217 -> "; these two devices do not reach each other's memory";
            case 700, 710, 714, 715, 716, 717, 718, 719 -> "; a kernel failed, and the device is of no more use to this"
                    + " process";
            case 802 -> "; the fabric manager has not yet brought up the links";
            default -> "";
        };
    }
}

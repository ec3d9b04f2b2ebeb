/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * Calls of the C library, the kernel, GPU drivers, libibverbs and network plug-ins, by the FFM API: no native artefact,
 * and no policy. Needs native access: {@code --enable-native-access=io.proxyrt.natives}.
 */
module io.proxyrt.natives {
    requires io.proxyrt.core;

    provides io.proxyrt.core.config.OptionsProvider with io.proxyrt.natives.gpu.GpuOptions;
    provides io.proxyrt.core.device.DeviceProvider
            with io.proxyrt.natives.gpu.CudaDeviceProvider, io.proxyrt.natives.gpu.HipDeviceProvider;
    provides io.proxyrt.core.platform.NvidiaDriver with io.proxyrt.natives.gpu.NvmlDriver;
    provides io.proxyrt.core.platform.Platform with io.proxyrt.natives.LinuxPlatform;
    provides io.proxyrt.core.plugin.NetLibraries with io.proxyrt.natives.plugin.SharedNetLibraries;
    provides io.proxyrt.core.verbs.Verbs with io.proxyrt.natives.verbs.LibVerbs;
}

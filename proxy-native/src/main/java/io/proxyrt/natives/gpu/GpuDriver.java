/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.natives.gpu;

import io.proxyrt.core.config.ProxyConfig;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What came of looking for a driver. Looked for once for each set of folders in a process, for libraries stay loaded.
 *
 * @param api    its calls; null if its libraries cannot be used
 * @param whyNot why there is no device, for people; empty if there is one
 */
record GpuDriver(GpuApi api, String whyNot) {
    /** CUDA, in names of devices. */
    static final String CUDA = "cuda";
    /** HIP, in names of devices. */
    static final String HIP = "hip";

    private static final Map<Key, GpuDriver> FOUND = new ConcurrentHashMap<>();

    /** {@return the driver of a kind} @param kind {@link #CUDA} or {@link #HIP} @param config says where it may be */
    static GpuDriver find(String kind, ProxyConfig config) {
        return find(kind, GpuOptions.folders(config.get(
                kind.equals(CUDA) ? GpuOptions.CUDA_LIBRARY_PATH : GpuOptions.HIP_LIBRARY_PATH)));
    }

    static GpuDriver find(String kind, List<Path> folders) {
        return FOUND.computeIfAbsent(new Key(kind, folders), GpuDriver::open);
    }

    private static GpuDriver open(Key key) {
        String whyNot = whyNotNative();
        if (!whyNot.isEmpty()) {
            return new GpuDriver(null, whyNot);
        }
        List<String> failures = new ArrayList<>();
        Optional<? extends GpuBinding> binding = key.kind.equals(CUDA) ? CudaApi.open(key.folders, failures)
                : HipApi.open(key.folders, failures);
        return binding.map(api -> new GpuDriver(api, api.whyNoDevice()))
                .orElseGet(() -> new GpuDriver(null, String.join("; ", failures)));
    }

    /** Why no driver's library can be called in this process; empty if they can. */
    static String whyNotNative() {
        return whyNotNative(System.getProperty("os.name"), System.getProperty("os.arch"), GpuDriver.class.getModule());
    }

    /** Asks about native access before anything that is restricted, or the JVM would print a warning. */
    static String whyNotNative(String system, String architecture, Module module) {
        if (!system.equals("Linux") || !List.of("amd64", "aarch64").contains(architecture)) {
            return "GPUs are known on Linux on amd64 and aarch64, and this is " + system + " on " + architecture;
        }
        return module.isNativeAccessEnabled() ? "" : "native access is not enabled; start Java with "
                + "--enable-native-access=" + (module.isNamed() ? module.getName() : "ALL-UNNAMED");
    }

    private record Key(String kind, List<Path> folders) {
    }
}

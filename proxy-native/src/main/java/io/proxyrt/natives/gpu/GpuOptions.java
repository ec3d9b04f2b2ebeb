/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.natives.gpu;

import io.proxyrt.core.config.Option;
import io.proxyrt.core.config.OptionsProvider;
import java.io.File;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/** Where the drivers' libraries are. */
public final class GpuOptions implements OptionsProvider {
    /** Where CUDA is. */
    public static final Option<String> CUDA_LIBRARY_PATH = Option.ofString(
            "cuda.library.path", "", "", "folders with libcuda, libcudart and libnvrtc, colon-separated; searched "
            + "before the system, such as the lib folder of nvidia/cu13 in a Python installation");
    /** Where HIP is. */
    public static final Option<String> HIP_LIBRARY_PATH = Option.ofString(
            "hip.library.path", "", "", "folders with libamdhip64, libhiprtc, libamd_comgr and libhsa-runtime64, "
            + "colon-separated; searched before the system");

    /** For {@link java.util.ServiceLoader}. */
    public GpuOptions() {
    }

    @Override
    public List<Option<?>> options() {
        return List.of(CUDA_LIBRARY_PATH, HIP_LIBRARY_PATH);
    }

    /** The folders that an option names. */
    static List<Path> folders(String path) {
        return Arrays.stream(path.split(File.pathSeparator)).filter(folder -> !folder.isBlank()).map(Path::of).toList();
    }
}

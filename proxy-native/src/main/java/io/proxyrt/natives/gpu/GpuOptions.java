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

/** Where the drivers' libraries are, and what GDRCopy is used for. */
public final class GpuOptions implements OptionsProvider {
    /** Where CUDA is. */
    public static final Option<String> CUDA_LIBRARY_PATH = Option.ofString("cuda.library.path", "", "",
            "folders with libcuda, libcudart, libnvrtc and libgdrapi, colon-separated; searched before the system, "
            + "such as the lib folder of nvidia/cu13 in a Python installation")
            .when("CUDA's libraries are not where the system looks");
    /** Where HIP is. */
    public static final Option<String> HIP_LIBRARY_PATH = Option.ofString("hip.library.path", "", "",
            "folders with libamdhip64, libhiprtc, libamd_comgr and libhsa-runtime64, colon-separated; searched before "
            + "the system")
            .when("HIP's libraries are not where the system looks");
    /** Where compiled kernels are kept. */
    public static final Option<String> KERNEL_CACHE = Option.ofString("gpu.kernel.cache", "", "",
            "folder of compiled kernels, this user's alone, so that other processes need not compile them; empty: "
            + "proxyrt/kernels in XDG_CACHE_HOME, else in ~/.cache; none, or no absolute XDG_CACHE_HOME: nothing is "
            + "kept")
            .when("the home folder is read-only, slow or no place for files of a cache");
    /** Whether GDRCopy is used. */
    public static final Option<Integer> GDRCOPY_ENABLE = Option.ofInt("gdrcopy.enable", "NCCL_GDRCOPY_ENABLE", 0, 0, 1,
            "1: GDRCopy (libgdrapi, and its kernel module gdrdrv or dma-bufs of CUDA's driver) is used on NVIDIA's "
            + "GPUs, where it is there")
            .when("GDRCopy is installed, and flushes or small copies show in profiles");
    /** Whether it flushes. */
    public static final Option<Integer> GDRCOPY_FLUSH_ENABLE = Option.ofInt(
            "gdrcopy.flush.enable", "NCCL_GDRCOPY_FLUSH_ENABLE", 0, 0, 1,
            "1: what a network wrote to a GPU's memory is flushed by one read of that GPU by the CPU, in place of the "
            + "network's iflush; takes gdrcopy.enable")
            .when("the network's own flush is slow");
    /** Understood, and of no effect. */
    public static final Option<Integer> GDRCOPY_SYNC_ENABLE = Option.ofInt(
            "gdrcopy.sync.enable", "NCCL_GDRCOPY_SYNC_ENABLE", 0, 0, 1,
            "understood, and of no effect: tail stays in memory of the host, which kernels read over the bus; NCCL's "
            + "default is 1")
            .when("never");
    /** Understood, and of no effect. */
    public static final Option<Integer> GDRCOPY_FIFO_ENABLE = Option.ofInt(
            "gdrcopy.fifo.enable", "NCCL_GDRCOPY_FIFO_ENABLE", 0, 0, 1,
            "understood, and of no effect: it is about NCCL's own queue of kernels' work, which is not here; NCCL's "
            + "default is 1")
            .when("never");
    /** Those of no effect. */
    static final List<Option<Integer>> IDLE = List.of(GDRCOPY_SYNC_ENABLE, GDRCOPY_FIFO_ENABLE);

    /** For {@link java.util.ServiceLoader}. */
    public GpuOptions() {
    }

    @Override
    public String title() {
        return "GPUs' drivers";
    }

    @Override
    public List<Option<?>> options() {
        return List.of(CUDA_LIBRARY_PATH, HIP_LIBRARY_PATH, KERNEL_CACHE, GDRCOPY_ENABLE, GDRCOPY_FLUSH_ENABLE,
                GDRCOPY_SYNC_ENABLE, GDRCOPY_FIFO_ENABLE);
    }

    /** The folders that an option names. */
    static List<Path> folders(String path) {
        return Arrays.stream(path.split(File.pathSeparator)).filter(folder -> !folder.isBlank()).map(Path::of).toList();
    }
}

/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.shm;

import io.proxyrt.core.config.Option;
import io.proxyrt.core.config.OptionsProvider;
import java.util.List;

/** The options of the SHM transport. */
public final class ShmOptions implements OptionsProvider {
    /** Whether the transport keeps out of it. */
    public static final Option<Integer> DISABLE = Option.ofInt("shm.disable", "NCCL_SHM_DISABLE", 0, 0, 1,
            "1: ranks of one host do not use shared memory")
            .scope(Option.Scope.HOST)
            .when("ranks of one host shall use NET, or shared memory is at fault");
    /** In whose segment the buffers lie. */
    public static final Option<Integer> LOCALITY = Option.ofInt(
            "shm.locality", "NCCL_SHM_LOCALITY", ShmSettings.RECEIVER, ShmSettings.SENDER, ShmSettings.RECEIVER,
            "whose segment holds the buffers: 1 the sender's, 2 the receiver's")
            .scope(Option.Scope.HOST)
            .when("NUMA nodes differ, and slots should be at the sender");
    /** How segments get to the peer. */
    public static final Option<SegmentKind> SEGMENT = Option.ofEnum("shm.segment", "", SegmentKind.AUTO,
            "how segments get to the peer: memfd by descriptor, or file")
            .scope(Option.Scope.HOST)
            .when("descriptors do not get through, as between containers (file)");

    /** Where segments lie that are files. */
    public static final Option<String> DIRECTORY = Option.ofString("shm.directory", "", "",
            "folder, in memory, of segments that are files; empty: /dev/shm")
            .scope(Option.Scope.HOST)
            .when("segments are files, and /dev/shm is too small");
    /** Whether proxies copy between kernels' buffers and segments. */
    public static final Option<Integer> USE_MEMCPY = Option.ofInt("shm.use.memcpy", "NCCL_SHM_USE_CUDA_MEMCPY", 0, 0, 1,
            "1: copy-engine mode: kernels fill buffers of their own device, and proxies copy")
            .scope(Option.Scope.HOST)
            .when("GPUs' kernels are slow at the host's memory, and copy engines are idle");
    /** At which ends they do. */
    public static final Option<Integer> MEMCPY_MODE = Option.ofInt("shm.memcpy.mode", "NCCL_SHM_MEMCPY_MODE", 1, 1, 3,
            "in copy-engine mode: 1 the sending proxy copies, 2 the receiving one, 3 both")
            .scope(Option.Scope.HOST)
            .when("copy-engine mode is used, and one end is busier than the other");
    /**
     * Which steps a proxy copies by itself: all of the usual size, for a stream of the host device is a thread, and one
     * that shares a CPU with the progress thread waits for its slices.
     */
    public static final Option<Long> CPU_COPY_BYTES = Option.ofBytes("shm.cpu.copy.bytes", "", 1L << 20, 0, 1L << 30,
            "in copy-engine mode: up to this size the progress thread copies by itself, above by a stream")
            .when("copies hold up the progress thread (lower)");

    /** For {@link java.util.ServiceLoader}. */
    public ShmOptions() {
    }

    @Override
    public String title() {
        return "SHM";
    }

    @Override
    public List<Option<?>> options() {
        return List.of(DISABLE, LOCALITY, SEGMENT, DIRECTORY, USE_MEMCPY, MEMCPY_MODE, CPU_COPY_BYTES);
    }
}

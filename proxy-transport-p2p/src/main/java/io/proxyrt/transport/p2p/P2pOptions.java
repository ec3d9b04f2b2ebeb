/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.p2p;

import io.proxyrt.core.config.Option;
import io.proxyrt.core.config.OptionsProvider;
import java.util.List;

/** The options of the P2P transport. */
public final class P2pOptions implements OptionsProvider {
    /** Whether the transport keeps out of it. */
    public static final Option<Integer> DISABLE = Option.ofInt("p2p.disable", "NCCL_P2P_DISABLE", 0, 0, 1,
            "1: devices do not use each other's memory")
            .scope(Option.Scope.HOST)
            .when("GPUs must not use each other's memory, as when their links are at fault");
    /** Whether host devices may use it, which have SHM. */
    public static final Option<Integer> HOST = Option.ofInt("p2p.host", "", 0, 0, 1,
            "1: host devices use P2P too, to try it without a GPU")
            .scope(Option.Scope.HOST)
            .when("P2P is tried or tested without a GPU");
    /** How far apart devices may be. */
    public static final Option<P2pLevel> LEVEL = Option.ofEnum("p2p.level", "NCCL_P2P_LEVEL", P2pLevel.ANY,
            "how far apart devices may be: loc, nvl, pix, pxb, phb, sys, or any: as far as the driver reaches")
            .scope(Option.Scope.HOST)
            .when("ways between far devices are slower than through the host");
    /** How memory gets to the peer. */
    public static final Option<P2pWay> WAY = Option.ofEnum("p2p.way", "", P2pWay.AUTO,
            "how memory gets to the peer: direct within a process, vmm by descriptor, or ipc by handle")
            .scope(Option.Scope.HOST)
            .when("the way that is chosen is refused in a container, or at fault");
    /** Whether ranks of one process go the way of those that are in several. */
    public static final Option<Integer> DIRECT_DISABLE = Option.ofInt(
            "p2p.direct.disable", "NCCL_P2P_DIRECT_DISABLE", 0, 0, 1,
            "1: ranks of one process pass their memory as if they were in several")
            .scope(Option.Scope.HOST)
            .when("ranks of one process have to be tested as if in several");
    /** At whose end the Simple slots lie. */
    public static final Option<Integer> READ_ENABLE = Option.ofInt("p2p.read.enable", "NCCL_P2P_READ_ENABLE", -2, -2, 1,
            "1: Simple slots lie at the sender and are read, else at the receiver and written")
            .scope(Option.Scope.HOST)
            .when("reading is faster than writing on this platform");
    /** Whether the sender's proxy copies. */
    public static final Option<Integer> USE_MEMCPY = Option.ofInt("p2p.use.memcpy", "NCCL_P2P_USE_CUDA_MEMCPY", 0, 0, 1,
            "1: copy-engine mode: the sender's proxy copies Simple slots to the peer's device")
            .scope(Option.Scope.HOST)
            .when("compute units are scarce, and copy engines are idle");
    /** The slots of copy-engine mode: a copy has a price, whatever its size. */
    public static final Option<Long> MEMCPY_BUFFER_BYTES = Option.ofBytes(
            "p2p.memcpy.buffer.bytes", "", 16L << 20, 8192, 1L << 30,
            "in copy-engine mode: eight Simple slots of a connection, at either end")
            .scope(Option.Scope.HOST)
            .when("copies are too small to fill the link (higher), or memory is short (lower)");
    /** Which steps a host device's proxy copies by itself. */
    public static final Option<Long> CPU_COPY_BYTES = Option.ofBytes("p2p.cpu.copy.bytes", "", 1L << 20, 0, 1L << 30,
            "in copy-engine mode, on host devices: up to this size the progress thread copies by itself")
            .when("copies hold up the progress thread (lower)");
    /** Through which device those go that do not reach each other. */
    public static final Option<String> RELAY = Option.ofString("p2p.relay", "", "",
            "device, such as cuda:2, that holds the buffers of pairs that reach it but not each other; empty: none")
            .scope(Option.Scope.HOST)
            .when("two devices do not reach each other, and a third reaches both");

    /** For {@link java.util.ServiceLoader}. */
    public P2pOptions() {
    }

    @Override
    public String title() {
        return "P2P";
    }

    @Override
    public List<Option<?>> options() {
        return List.of(DISABLE, HOST, LEVEL, WAY, DIRECT_DISABLE, READ_ENABLE, USE_MEMCPY, MEMCPY_BUFFER_BYTES,
                CPU_COPY_BYTES, RELAY);
    }
}

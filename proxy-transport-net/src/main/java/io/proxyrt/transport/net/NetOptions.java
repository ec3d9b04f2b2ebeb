/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net;

import io.proxyrt.core.config.Option;
import io.proxyrt.core.config.OptionsProvider;
import io.proxyrt.core.transport.ConnectorEnd;
import java.util.List;

/** The options of the NET transport; those of the socket network are in {@link SocketOptions}. */
public final class NetOptions implements OptionsProvider {
    /** Which network to use. */
    public static final Option<String> NET = Option.ofString("net", "NCCL_NET", "",
            "name of the network; empty: the first that has a device")
            .scope(Option.Scope.JOB)
            .when("another network than the first shall be used");
    /** Whether the Simple slots of point-to-point connections come from a pool. */
    public static final Option<Integer> SHARED_BUFFERS = Option.ofInt(
            "net.shared.buffers", "NCCL_NET_SHARED_BUFFERS", -2, -2, 1,
            "1: point-to-point connections of a peer share their slots; -2 is RCCL's default, which means 1")
            .scope(Option.Scope.JOB)
            .when("each connection shall have slots of its own, at the price of memory");
    /** Whether connections of one proxy share a comm of the network. */
    public static final Option<Integer> SHARED_COMMS = Option.ofInt(
            "net.shared.comms", "NCCL_NET_SHARED_COMMS", 1, 0, 1,
            "1: shared connections from one proxy have one comm, if the network groups receives; sockets do not")
            .when("a plug-in's grouped receives are at fault");
    /** Whether the network may complete receives of LL and LL128 early. */
    public static final Option<Integer> OPTIONAL_RECV_COMPLETION = Option.ofInt(
            "net.optional.recv.completion", "NCCL_NET_OPTIONAL_RECV_COMPLETION", 1, 0, 1,
            "1: LL and LL128 receives may be complete early, for their data say themselves when they are there")
            .when("a plug-in completes such receives wrongly");
    /** Whether shared connections have LL buffers too. */
    public static final Option<Integer> ALLOC_P2P_LL_BUFFERS = Option.ofInt(
            "net.p2p.ll.buffers", "NCCL_ALLOC_P2P_NET_LL_BUFFERS", 0, 0, 1,
            "1: shared point-to-point connections get an LL buffer each")
            .when("small messages between pairs matter more than memory");
    /** Bytes of a shared slot. */
    public static final Option<Long> P2P_CHUNK_BYTES = Option.ofBytes(
            "net.p2p.chunk.bytes", "NCCL_P2P_NET_CHUNKSIZE", 128L << 10, 1L << 10, 1L << 30,
            "bytes of a shared slot; at most an eighth of proxyrt.buffer.bytes")
            .scope(Option.Scope.JOB)
            .when("messages between pairs are large and few (higher)");
    /** Channels of the pool of shared slots. */
    public static final Option<Integer> P2P_CHANNELS = Option.ofInt(
            "net.p2p.channels", "NCCL_MAX_P2P_NCHANNELS", 0, 0, ConnectorEnd.MAX_CHANNELS,
            "channels, of 16 shared slots each, that a peer's pool is for, unless it asks for others by SharedInit; 0: "
            + "2, and 16 for a GPU, whose messages go by many")
            .when("a peer exchanges many messages at once, and they wait for slots");
    /** Whether ranks of one host use other transports. */
    public static final Option<Integer> DISABLE_INTRA = Option.ofInt(
            "net.disable.intra", "NCCL_NET_DISABLE_INTRA", 0, 0, 1,
            "1: no NET between ranks of one host; NCCL's default, but here nothing else connects them yet")
            .scope(Option.Scope.HOST)
            .when("ranks of one host must use other transports, or fail");
    /** Whether received data are flushed even where that is not needed. */
    public static final Option<Integer> FORCE_FLUSH = Option.ofInt("net.force.flush", "NCCL_NET_FORCE_FLUSH", 0, 0, 1,
            "1: the network's iflush follows each Simple receive, also into host memory, which does not need it")
            .when("a plug-in's flush is to be tried without a GPU");
    /** Whether networks reach into a GPU's memory. */
    public static final Option<Integer> GDR = Option.ofInt("net.gdr", "", 1, 0, 1,
            "1: the network reads and writes a GPU's own memory, where it takes dma-bufs and the GPU gives them; 0: "
            + "data go through memory of the host")
            .when("GPUDirect RDMA is slow or broken on a platform");
    /** Whether each move of a counter is logged. */
    public static final Option<Integer> TRACE = Option.ofInt("net.trace", "", 0, 0, 1,
            "1: each counter that moves is logged, by io.proxyrt.transport.net.trace")
            .when("a hang is to be explained step by step");
    /** Faults that the network is given on purpose. */
    public static final Option<String> FAULTS = Option.ofString("net.faults", "RCCL_INJECT_FAULTS", "",
            "faults to inject, with probabilities: seed=42,refuse=0.1,delay=0.2,connect=0.5,test=0.001; 0: none")
            .when("a program's handling of failures is tested");

    /** For {@link java.util.ServiceLoader}. */
    public NetOptions() {
    }

    @Override
    public String title() {
        return "NET";
    }

    @Override
    public List<Option<?>> options() {
        return List.of(NET, SHARED_BUFFERS, SHARED_COMMS, OPTIONAL_RECV_COMPLETION, ALLOC_P2P_LL_BUFFERS,
                P2P_CHUNK_BYTES, P2P_CHANNELS, DISABLE_INTRA, FORCE_FLUSH, GDR, TRACE, FAULTS);
    }
}

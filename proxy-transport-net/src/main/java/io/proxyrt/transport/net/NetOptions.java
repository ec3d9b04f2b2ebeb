/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net;

import io.proxyrt.core.config.Option;
import io.proxyrt.core.config.OptionsProvider;
import java.time.Duration;
import java.util.List;

/** The options of the NET transport and of the socket network. */
public final class NetOptions implements OptionsProvider {
    /** Addresses a socket may use. */
    public enum Family {
        /** IPv4, and IPv6 on interfaces that have nothing else. */
        ANY,
        /** IPv4 only. */
        AF_INET,
        /** IPv6 only. */
        AF_INET6
    }

    /** Which network to use. */
    public static final Option<String> NET = Option.ofString(
            "net", "NCCL_NET", "", "name of the network; empty: the first that has a device");
    /** Whether the Simple slots of point-to-point connections come from a pool. */
    public static final Option<Integer> SHARED_BUFFERS = Option.ofInt(
            "net.shared.buffers", "NCCL_NET_SHARED_BUFFERS", -2, -2, 1,
            "1: point-to-point connections of a peer share their slots; -2 is RCCL's default, which means 1");
    /** Whether connections of one proxy share a comm of the network. */
    public static final Option<Integer> SHARED_COMMS = Option.ofInt(
            "net.shared.comms", "NCCL_NET_SHARED_COMMS", 1, 0, 1,
            "1: shared connections from one proxy have one comm, if the network groups receives; sockets do not");
    /** Whether the network may complete receives of LL and LL128 early. */
    public static final Option<Integer> OPTIONAL_RECV_COMPLETION = Option.ofInt(
            "net.optional.recv.completion", "NCCL_NET_OPTIONAL_RECV_COMPLETION", 1, 0, 1,
            "1: the network may complete LL and LL128 receives early, for their data say themselves when they are there");
    /** Whether shared connections have LL buffers too. */
    public static final Option<Integer> ALLOC_P2P_LL_BUFFERS = Option.ofInt(
            "net.p2p.ll.buffers", "NCCL_ALLOC_P2P_NET_LL_BUFFERS", 0, 0, 1,
            "1: shared point-to-point connections get an LL buffer each");
    /** Bytes of a shared slot. */
    public static final Option<Long> P2P_CHUNK_BYTES = Option.ofBytes(
            "net.p2p.chunk.bytes", "NCCL_P2P_NET_CHUNKSIZE", 128L << 10, 1L << 10, 1L << 30,
            "bytes of a shared slot; at most an eighth of proxyrt.buffer.bytes");
    /** Channels of the pool of shared slots. */
    public static final Option<Integer> P2P_CHANNELS = Option.ofInt(
            "net.p2p.channels", "NCCL_MAX_P2P_NCHANNELS", 2, 1, NetMessages.MAX_CHANNELS,
            "channels, of 16 shared slots each, that a peer's pool is for, unless it asks for others by SharedInit");
    /** Whether ranks of one host use other transports. */
    public static final Option<Integer> DISABLE_INTRA = Option.ofInt(
            "net.disable.intra", "NCCL_NET_DISABLE_INTRA", 0, 0, 1,
            "1: no NET between ranks of one host; NCCL's default, but here nothing else connects them yet");
    /** Whether received data are flushed even where that is not needed. */
    public static final Option<Integer> FORCE_FLUSH = Option.ofInt(
            "net.force.flush", "NCCL_NET_FORCE_FLUSH", 0, 0, 1,
            "1: the network's iflush follows each Simple receive, also into host memory, which does not need it");
    /** Which interfaces the socket network uses. */
    public static final Option<String> SOCKET_IFNAME = Option.ofString(
            "net.socket.ifname", "NCCL_SOCKET_IFNAME", "",
            "interface prefixes, comma-separated; a leading ^ excludes, = wants the whole name");
    /** Which addresses the socket network uses. */
    public static final Option<Family> SOCKET_FAMILY = Option.ofEnum(
            "net.socket.family", "NCCL_SOCKET_FAMILY", Family.ANY, "addresses of the socket network");
    /** The system's buffer of what is sent. */
    public static final Option<Long> SOCKET_SNDBUF = Option.ofBytes(
            "net.socket.sndbuf", "NCCL_SOCKET_SNDBUF", -1, -1, 1L << 30, "SO_SNDBUF in bytes; -1: the system tunes it");
    /** The system's buffer of what was received. */
    public static final Option<Long> SOCKET_RCVBUF = Option.ofBytes(
            "net.socket.rcvbuf", "NCCL_SOCKET_RCVBUF", -1, -1, 1L << 30, "SO_RCVBUF in bytes; -1: the system tunes it");
    /** How often a connector tries. */
    public static final Option<Integer> SOCKET_RETRY_COUNT = Option.ofInt(
            "net.socket.retry.count", "NCCL_SOCKET_RETRY_CNT", 34, 0, 1 << 20,
            "retries of a connection that was refused");
    /** How long a connector waits between tries. */
    public static final Option<Duration> SOCKET_RETRY_SLEEP = Option.ofDuration(
            "net.socket.retry.sleep", "NCCL_SOCKET_RETRY_SLEEP_MSEC", Duration.ofMillis(100),
            "wait before the first retry; the n-th waits n times as long");
    /** How long a peer may take to say who it is. */
    public static final Option<Duration> SOCKET_HANDSHAKE_TIMEOUT = Option.ofDuration(
            "net.socket.handshake.timeout", "", Duration.ofSeconds(5),
            "how long an accepted peer may take to say who it is");

    /** For {@link java.util.ServiceLoader}. */
    public NetOptions() {
    }

    @Override
    public List<Option<?>> options() {
        return List.of(NET, SHARED_BUFFERS, SHARED_COMMS, OPTIONAL_RECV_COMPLETION, ALLOC_P2P_LL_BUFFERS,
                P2P_CHUNK_BYTES, P2P_CHANNELS, DISABLE_INTRA, FORCE_FLUSH, SOCKET_IFNAME, SOCKET_FAMILY,
                SOCKET_SNDBUF, SOCKET_RCVBUF, SOCKET_RETRY_COUNT, SOCKET_RETRY_SLEEP, SOCKET_HANDSHAKE_TIMEOUT);
    }
}

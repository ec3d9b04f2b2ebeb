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
        return List.of(NET, SOCKET_IFNAME, SOCKET_FAMILY, SOCKET_SNDBUF, SOCKET_RCVBUF, SOCKET_RETRY_COUNT,
                SOCKET_RETRY_SLEEP, SOCKET_HANDSHAKE_TIMEOUT);
    }
}

/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net;

import io.proxyrt.core.config.Option;
import io.proxyrt.core.config.OptionsProvider;
import java.time.Duration;
import java.util.List;

/** The options of the socket network. */
public final class SocketOptions implements OptionsProvider {
    /** Addresses a socket may use. */
    public enum Family {
        /** IPv4, and IPv6 on interfaces that have nothing else. */
        ANY,
        /** IPv4 only. */
        AF_INET,
        /** IPv6 only. */
        AF_INET6
    }

    /** Who makes the system calls. */
    public enum Engine {
        /** The platform where it can be used, else the JDK. */
        AUTO,
        /** The JDK alone. */
        NIO,
        /** The platform, or nothing works. */
        NATIVE
    }

    /** How TCP shares the way with others. */
    public enum Congestion {
        /** Without pacing between processes of one host, elsewhere as the host has it. */
        AUTO,
        /** As the host has it. */
        SYSTEM
    }

    /** Who makes the system calls. */
    public static final Option<Engine> ENGINE = Option.ofEnum("net.socket.engine", "", Engine.AUTO,
            "whether system calls that the JDK does not offer are used: auto, where they can be; nio, never; native, "
            + "always, or the network fails")
            .when("the platform's calls are forbidden (nio), or must not silently be left out (native)");
    /** How TCP shares the way with others. */
    public static final Option<Congestion> CONGESTION = Option.ofEnum("net.socket.congestion", "", Congestion.AUTO,
            "TCP's congestion control: auto, reno between processes of one host, which nothing paces as bbr does, else "
            + "the host's; system, the host's")
            .when("the host's own choice has to hold within the host, too");
    /** Which interfaces to use. */
    public static final Option<String> IFNAME = Option.ofString("net.socket.ifname", "NCCL_SOCKET_IFNAME", "",
            "interface prefixes, comma-separated; a leading ^ excludes, = wants the whole name")
            .when("the network found first is the wrong one, as with management networks or bridges of containers");
    /** Which addresses to use. */
    public static final Option<Family> FAMILY = Option.ofEnum("net.socket.family", "NCCL_SOCKET_FAMILY", Family.ANY,
            "addresses of the socket network")
            .when("interfaces have addresses of both kinds, and one of them does not reach");
    /** On which ports to listen. */
    public static final Option<String> PORTS = Option.ofString("net.socket.ports", "", "",
            "ports to listen at, such as 31000-31999, which takes SO_REUSEADDR; empty: any that is free")
            .when("a firewall lets some ports pass only");
    /** The system's buffer of what is sent. */
    public static final Option<Long> SNDBUF = Option.ofBytes(
            "net.socket.sndbuf", "NCCL_SOCKET_SNDBUF", -1, -1, 1L << 30,
            "SO_SNDBUF in bytes; -1: the system tunes it")
            .when("the way is long and fast, and the system's tuning ends too low");
    /** The system's buffer of what was received. */
    public static final Option<Long> RCVBUF = Option.ofBytes(
            "net.socket.rcvbuf", "NCCL_SOCKET_RCVBUF", -1, -1, 1L << 30,
            "SO_RCVBUF in bytes; -1: the system tunes it")
            .when("the way is long and fast, and the system's tuning ends too low");
    /** Whether to listen on a port that an earlier connection still occupies. */
    public static final Option<Integer> REUSEADDR = Option.ofInt(
            "net.socket.reuseaddr", "RCCL_SOCKET_REUSEADDR", 0, 0, 1,
            "1: SO_REUSEADDR on listening sockets")
            .when("ports are few, and restarts find them occupied");
    /** What closing does to bytes that are still to be sent. */
    public static final Option<Integer> LINGER = Option.ofInt("net.socket.linger", "RCCL_SOCKET_LINGER", -1, -1, 60,
            "SO_LINGER in seconds: how long closing waits for unsent bytes; 0 drops them; -1: the system sends them")
            .when("closing has to wait for what is unsent, or to drop it");
    /** How often a connector tries. */
    public static final Option<Integer> RETRY_COUNT = Option.ofInt(
            "net.socket.retry.count", "NCCL_SOCKET_RETRY_CNT", 34, 0, 1 << 20,
            "retries of a connection that was refused")
            .when("peers listen much later than this rank dials");
    /** How long a connector waits between tries. */
    public static final Option<Duration> RETRY_SLEEP = Option.ofDuration(
            "net.socket.retry.sleep", "NCCL_SOCKET_RETRY_SLEEP_MSEC", Duration.ofMillis(100),
            "wait before the first retry; the n-th waits n times as long")
            .when("peers listen much later than this rank dials");
    /** How long a peer may take to say who it is. */
    public static final Option<Duration> HANDSHAKE_TIMEOUT = Option.ofDuration(
            "net.socket.handshake.timeout", "", Duration.ofSeconds(10),
            "how long an accepted connection may take to say who it is")
            .when("hosts are so busy that connections are dropped for being late");
    /** Helper threads of a connection. */
    public static final Option<Integer> THREADS = Option.ofInt(
            "net.socket.threads", "NCCL_SOCKET_NTHREADS", -2, -2, 1 << 20,
            "threads of each end of a connection that move large messages, at most 16; 0: the caller moves them; -2: "
            + "by interface and processors, one on loopback and beyond 25 Gbit/s where there are 16 processors")
            .when("one thread does not fill the network; `proxyrt bench` and perf tell");
    /** Data sockets of a connection. */
    public static final Option<Integer> SOCKETS_PER_THREAD = Option.ofInt(
            "net.socket.sockets.per.thread", "NCCL_NSOCKS_PERTHREAD", -2, -2, 1 << 20,
            "sockets that each of these threads uses, at most 64 of a connection; -2: by interface")
            .when("one TCP stream does not fill the network, as in clouds");
    /** What travels with its header. */
    public static final Option<Long> INLINE_BYTES = Option.ofBytes(
            "net.socket.inline", "NCCL_SOCKET_INLINE", 32 << 10, 0, 1L << 30,
            "messages of a connection with data sockets that stay on the control socket, up to this many bytes; NCCL's "
            + "128 would cost most small messages a second system call")
            .when("messages of a few KiB matter, and data sockets are used");
    /** What a data socket should get at least. */
    public static final Option<Long> CHUNK_BYTES = Option.ofBytes(
            "net.socket.chunk", "NCCL_SOCKET_MIN_TASKSIZE", 64 << 10, 1, 1L << 30,
            "least bytes of a message that a data socket gets, unless there are no more")
            .when("messages are cut too small, or too few sockets share them");
    /** When the system begins to ask whether a silent peer is alive. */
    public static final Option<Duration> KEEPALIVE_IDLE = Option.ofDuration(
            "net.socket.keepalive.idle", "", Duration.ofSeconds(30),
            "silence after which the system asks whether the peer's host is there; 0: never. With net.socket.resume no "
            + "longer than an eighth of that, or a second")
            .when("a host that is gone has to be noticed sooner, or idle packets are unwanted");
    /** How often it asks. */
    public static final Option<Duration> KEEPALIVE_INTERVAL = Option.ofDuration(
            "net.socket.keepalive.interval", "", Duration.ofSeconds(5),
            "time between two such questions; with net.socket.resume shortened as the silence is, for more questions")
            .when("a host that is gone has to be noticed sooner, or the network loses packets for longer");
    /** When it gives the peer up. */
    public static final Option<Integer> KEEPALIVE_COUNT = Option.ofInt("net.socket.keepalive.count", "", 6, 1, 127,
            "unanswered questions after which the peer's host is gone")
            .when("a host that is gone has to be noticed sooner, or the network loses packets for longer");
    /** When a connection that should move, and does not, is given up. */
    public static final Option<Duration> TIMEOUT = Option.ofDuration("net.socket.timeout", "", Duration.ZERO,
            "how long data under way may stand still: the rest of a message, bytes that the peer does not take, or its "
            + "acknowledgement; 0: for ever. A peer that computes for longer without receiving is taken for dead")
            .when("a peer that stands still has to be an error, and none computes for so long");

    /** How long a broken connection may take to come back. */
    public static final Option<Duration> RESUME = Option.ofDuration("net.socket.resume", "", Duration.ZERO,
            "how long a connection whose sockets broke may take to come back and go on where it was, if both ends want "
            + "that; so may this rank's link to the bootstrap root; 0: it fails at once. Below 3 s a break that only "
            + "the receiver was told of may outlast it")
            .when("connections get reset, by firewalls or fail-over, and the job should go on");
    /** Whether messages carry a checksum. */
    public static final Option<Integer> CHECKSUM = Option.ofInt("net.socket.checksum", "", 0, 0, 1,
            "1: a CRC32C for each message of a connection of which either end wants it; a difference is an error")
            .when("data are damaged, and it is to be found out whether by the network");

    /** For {@link java.util.ServiceLoader}. */
    public SocketOptions() {
    }

    @Override
    public String title() {
        return "The socket network";
    }

    @Override
    public List<Option<?>> options() {
        return List.of(ENGINE, CONGESTION, IFNAME, FAMILY, PORTS, SNDBUF, RCVBUF, REUSEADDR, LINGER, RETRY_COUNT,
                RETRY_SLEEP, HANDSHAKE_TIMEOUT, THREADS, SOCKETS_PER_THREAD, INLINE_BYTES, CHUNK_BYTES, KEEPALIVE_IDLE,
                KEEPALIVE_INTERVAL, KEEPALIVE_COUNT, TIMEOUT, RESUME, CHECKSUM);
    }
}

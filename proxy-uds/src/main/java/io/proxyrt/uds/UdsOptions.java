/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.uds;

import io.proxyrt.core.config.Option;
import io.proxyrt.core.config.OptionsProvider;
import java.time.Duration;
import java.util.List;

/** The options of the UDS thread's wire side. */
public final class UdsOptions implements OptionsProvider {
    /** Which implementation of Unix sockets. */
    public static final Option<SocketsKind> SOCKETS = Option.ofEnum("uds.sockets", "", SocketsKind.AUTO,
            "Unix sockets of which implementation")
            .when("the native sockets cannot be used, or junixsocket has to be tried");
    /** Where the name of the socket lives. */
    public static final Option<Namespace> NAMESPACE = Option.ofEnum("uds.namespace", "", Namespace.ABSTRACT,
            "whether the UDS thread's socket has an abstract name or a path")
            .when("abstract names do not reach, as between network namespaces (path)");
    /** Where the folder of a path is made. */
    public static final Option<String> DIRECTORY = Option.ofString("uds.directory", "", "",
            "folder of the UDS thread's socket; empty: XDG_RUNTIME_DIR if it is this user's, else the temp folder")
            .when("paths are used, and the usual folder is too long, or not shared by the ranks of the host");
    /** How long the UDS thread waits for a peer to prove who it is; the peer itself has longer, and comes again. */
    public static final Option<Duration> HELLO_TIMEOUT = Option.ofDuration(
            "uds.hello.timeout", "", Duration.ofSeconds(10),
            "how long a peer may take to prove who it is; 1ms to 60m")
            .when("a host is so busy that peers are refused for being late");
    /** How long a peer may take to read an answer. */
    public static final Option<Duration> ANSWER_TIMEOUT = Option.ofDuration(
            "uds.answer.timeout", "", Duration.ofSeconds(30),
            "how long a peer may leave an answer unread; 1ms to 60m")
            .when("peers stop for longer than this, in a debugger");
    /** Sessions at one time; one more is refused. */
    public static final Option<Integer> MAX_CONNECTIONS = Option.ofInt("uds.max.connections", "", 256, 1, 16_384,
            "peers of the UDS thread at one time; one more is refused")
            .when("a host has more ranks than that");
    /** Peers that have proven nothing yet; one more costs the oldest of the user who has most of them its place. */
    public static final Option<Integer> MAX_HALF_OPEN = Option.ofInt("uds.max.half.open", "", 64, 1, 4_096,
            "peers not yet known; one more, and the user who has most of them loses the oldest")
            .when("many peers connect at once and are refused");
    /** Connections that the operating system queues for the UDS thread. */
    public static final Option<Integer> BACKLOG = Option.ofInt("uds.backlog", "", 128, 1, 4_096,
            "connections that wait to be accepted")
            .when("many peers connect at once and are refused by the system");
    /** How long a caller looks for the answer before it sleeps. */
    public static final Option<Duration> SPIN = Option.ofDuration("uds.spin", "", Duration.ZERO,
            "how long a call looks for its answer before it sleeps; up to 1s")
            .when("registration is on the path that matters, and a core is free");

    /** For {@link java.util.ServiceLoader}. */
    public UdsOptions() {
    }

    @Override
    public String title() {
        return "The UDS thread";
    }

    @Override
    public List<Option<?>> options() {
        return List.of(SOCKETS, NAMESPACE, DIRECTORY, HELLO_TIMEOUT, ANSWER_TIMEOUT, MAX_CONNECTIONS,
                MAX_HALF_OPEN, BACKLOG, SPIN);
    }
}

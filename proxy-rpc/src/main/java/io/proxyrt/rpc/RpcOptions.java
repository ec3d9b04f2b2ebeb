/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.rpc;

import io.proxyrt.core.config.Option;
import io.proxyrt.core.config.OptionsProvider;
import java.time.Duration;
import java.util.List;

/** The options of the service's wire side. */
public final class RpcOptions implements OptionsProvider {
    /** What kind of socket the service listens at. */
    public static final Option<Listen> LISTEN = Option.ofEnum("rpc.listen", "", Listen.TCP,
            "how peers reach the service: tcp, or unix for a socket in the file system")
            .when("TCP is closed even within the host (unix)");
    /** Where the service listens. Ranks call only services of ranks on their own host, hence the loopback address. */
    public static final Option<String> ADDRESS = Option.ofString("rpc.address", "", "127.0.0.1",
            "address that the service listens at; its peers are on the same host")
            .when("loopback is not shared, as between containers of one host");
    /** On which port. */
    public static final Option<Integer> PORT = Option.ofInt("rpc.port", "", 0, 0, 65_535,
            "port that the service listens at; 0: any that is free")
            .when("one port is free for this rank");
    /** On one of which ports. */
    public static final Option<String> PORTS = Option.ofString("rpc.ports", "", "",
            "ports, such as 30000-30100, the first free one of which the service listens at")
            .when("a firewall lets some ports pass only");
    /** At which interface's address. */
    public static final Option<String> INTERFACE = Option.ofString("rpc.interface", "", "",
            "interface to listen at instead of the address: prefixes, =names, or ^ those that it must not be")
            .when("the address is not known ahead, but its interface is");
    /** Where a Unix socket is. */
    public static final Option<String> DIRECTORY = Option.ofString("rpc.directory", "", "",
            "directory for the Unix socket, in one of its own there; empty: java.io.tmpdir")
            .when("Unix sockets are used, and the usual folder's path is too long");
    /** The own certificate. */
    public static final Option<String> TLS_CERTIFICATE = Option.ofString("rpc.tls.certificate", "", "",
            "PEM file with this side's certificate chain; with the other two: TLS")
            .when("the way between containers of a host must not be in clear");
    /** Its key. */
    public static final Option<String> TLS_KEY = Option.ofString("rpc.tls.key", "", "",
            "PEM file with the private key of the certificate, PKCS#8, without a password")
            .when("the way between containers of a host must not be in clear");
    /** Whose certificates are good. */
    public static final Option<String> TLS_TRUST = Option.ofString("rpc.tls.trust", "", "",
            "PEM file with the certificates that a peer's must be signed with")
            .scope(Option.Scope.HOST)
            .when("the way between containers of a host must not be in clear");
    /** Connections that the operating system queues for the service. */
    public static final Option<Integer> BACKLOG = Option.ofInt("rpc.backlog", "", 1024, 1, 65_535,
            "connections that wait to be accepted")
            .when("many ranks connect at once and are refused by the system");
    /** Sessions at one time; one more is refused. */
    public static final Option<Integer> MAX_CONNECTIONS = Option.ofInt("rpc.max.connections", "", 1024, 1, 65_536,
            "sessions of the service at one time; one more is refused")
            .when("a host has more sessions than that");
    /** Connections that have yet to prove that they are of the job. */
    public static final Option<Integer> MAX_UNAUTHENTICATED = Option.ofInt(
            "rpc.max.unauthenticated", "", 128, 1, 65_536,
            "connections that are not accepted as sessions yet; one more drives out the oldest of the host that has "
            + "most of them")
            .when("ranks are driven out while others try to come in");
    /** Sessions of one peer. */
    public static final Option<Integer> MAX_SESSIONS_PER_PEER = Option.ofInt(
            "rpc.max.sessions.per.peer", "", 16, 1, 65_536,
            "sessions of one peer at one time; one more is refused")
            .when("many clients of one peer call this service");
    /** How long the service waits for a caller to authenticate; the caller itself has longer, and comes again. */
    public static final Option<Duration> HELLO_TIMEOUT = Option.ofDuration(
            "rpc.hello.timeout", "", Duration.ofSeconds(10),
            "how long a caller may take to authenticate at the service; 1ms to 60m")
            .when("a host is so busy that callers are refused for being late");
    /** How long a blocking caller polls for its answer before it sleeps. */
    public static final Option<Duration> SPIN = Option.ofDuration("rpc.spin", "", Duration.ZERO,
            "how long a blocking caller polls for its answer, at the cost of a core, before it sleeps; up to 60m")
            .when("the latency of calls matters, and a core is free");
    /** The longest frame, with its header. */
    public static final Option<Long> MAX_FRAME_BYTES = Option.ofBytes(
            "rpc.max.frame.bytes", "", 1L << 20, 4L << 10, 64L << 20,
            "longest request or response, header included")
            .scope(Option.Scope.HOST)
            .when("messages of a transport of one's own are larger");
    /** Requests of one peer that wait for their answers. */
    public static final Option<Long> MAX_OUTSTANDING_BYTES = Option.ofBytes(
            "rpc.max.outstanding.bytes", "", 16L << 20, 4L << 10, 1L << 30,
            "requests of one peer that are not answered yet; one more is answered with an error")
            .when("many or large calls are under way at once");

    /** Kinds of sockets. */
    public enum Listen {
        /** An address and a port. */
        TCP,
        /** A path. */
        UNIX
    }

    /** For {@link java.util.ServiceLoader}. */
    public RpcOptions() {
    }

    @Override
    public String title() {
        return "The service's wire";
    }

    @Override
    public List<Option<?>> options() {
        return List.of(LISTEN, ADDRESS, PORT, PORTS, INTERFACE, DIRECTORY, TLS_CERTIFICATE, TLS_KEY, TLS_TRUST,
                BACKLOG, MAX_CONNECTIONS, MAX_UNAUTHENTICATED, MAX_SESSIONS_PER_PEER, HELLO_TIMEOUT, SPIN,
                MAX_FRAME_BYTES, MAX_OUTSTANDING_BYTES);
    }
}

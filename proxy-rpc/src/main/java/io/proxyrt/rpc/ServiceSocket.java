/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.rpc;

import io.netty.channel.ServerChannel;
import io.netty.channel.socket.nio.NioServerDomainSocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.Subsystem;
import io.proxyrt.core.auth.PeerText;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.platform.DescriptorLimit;
import io.proxyrt.core.platform.HostInterface;
import io.proxyrt.core.platform.InterfaceFilter;
import io.proxyrt.core.platform.Leftovers;
import io.proxyrt.core.platform.PortRange;
import io.proxyrt.core.platform.PrivateDirectory;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.net.UnknownHostException;
import java.nio.channels.ServerSocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;

/** The socket that a service listens at: bound, as the options ask for, with what was chosen and why. */
final class ServiceSocket {
    private static final Logger LOGGER = Subsystem.PROXY.logger();
    /** What the JDK takes: one byte less than fits into sockaddr_un with the zero behind it. */
    private static final int MAX_PATH_BYTES = 106;

    private final ServerSocketChannel channel;
    private final SocketAddress address;
    private final String why;

    private ServiceSocket(ServerSocketChannel channel, String why) throws IOException {
        this.channel = channel;
        this.address = channel.getLocalAddress();
        this.why = why;
    }

    /** Binds one; {@code who} is to listen there, for messages. */
    static ServiceSocket open(ProxyConfig config, Object who) {
        return config.get(RpcOptions.LISTEN) == RpcOptions.Listen.UNIX ? openUnix(config, who) : openTcp(config, who);
    }

    SocketAddress address() {
        return address;
    }

    /** Where it is, and why there if that is not obvious. */
    @Override
    public String toString() {
        return PeerText.address(address) + why;
    }

    /** Whether other hosts reach it. */
    boolean isExposed() {
        return address instanceof InetSocketAddress internet && !internet.getAddress().isLoopbackAddress();
    }

    ServerChannel channel() {
        return isUnix() ? new NioServerDomainSocketChannel(channel) : new NioServerSocketChannel(channel);
    }

    /** Closes it if that is not done yet, and leaves nothing in the file system. */
    void close() throws IOException {
        channel.close();
        if (address instanceof UnixDomainSocketAddress unix) {
            Leftovers.remove(unix.getPath());
        }
    }

    private boolean isUnix() {
        return address instanceof UnixDomainSocketAddress;
    }

    private static ServiceSocket openTcp(ProxyConfig config, Object who) {
        String names = config.get(RpcOptions.INTERFACE);
        InetAddress host;
        String why;
        if (names.isBlank()) {
            host = host(config);
            why = "";
        } else {
            HostInterface choice = choose(names);
            host = choice.address(any -> true).orElseThrow();
            why = " (interface " + choice.name() + ", as " + RpcOptions.INTERFACE + " is " + names + ")";
        }
        PortRange ports = ports(config);
        try {
            return bind(host, ports, config.get(RpcOptions.BACKLOG), why);
        } catch (IOException | RuntimeException e) {
            throw new ProxyException(ProxyResult.SYSTEM_ERROR, "the service of " + who + " cannot listen at "
                    + PeerText.address(new InetSocketAddress(host, ports.first()))
                    + (ports.count() == 1 ? "" : "-" + ports.last()) + why + ": "
                    + e.getMessage() + DescriptorLimit.advice(e, advice(config)), e);
        }
    }

    private static String advice(ProxyConfig config) {
        return "; set " + (config.get(RpcOptions.PORTS).isBlank()
                ? RpcOptions.PORT + " to another port, or to 0 for any that is free"
                : RpcOptions.PORTS + " to a range with a free port") + ", and "
                + (config.get(RpcOptions.INTERFACE).isBlank() ? RpcOptions.ADDRESS + " to an address of this host"
                        : RpcOptions.INTERFACE + " to an interface of this host");
    }

    private static ServiceSocket bind(InetAddress host, PortRange ports, int backlog, String why) throws IOException {
        ServerSocketChannel listener = ServerSocketChannel.open();
        try {
            ports.bind(listener, host, backlog, 0);
            return new ServiceSocket(listener, why);
        } catch (IOException | RuntimeException e) {
            listener.close();
            throw e;
        }
    }

    private static PortRange ports(ProxyConfig config) {
        int port = config.get(RpcOptions.PORT);
        String range = config.get(RpcOptions.PORTS);
        if (range.isBlank()) {
            return PortRange.of(port);
        }
        if (port != 0) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, RpcOptions.PORT + " is " + port + " and "
                    + RpcOptions.PORTS + " is " + range + ": set one of the two");
        }
        return PortRange.parse(RpcOptions.PORTS, range, "30000-30100");
    }

    private static HostInterface choose(String names) {
        try {
            return choose(names, HostInterface.all());
        } catch (SocketException e) {
            throw new ProxyException(ProxyResult.SYSTEM_ERROR,
                    RpcOptions.INTERFACE + ": the interfaces of this host cannot be listed: " + e, e);
        }
    }

    /** The first by name that fits and is usable. */
    static HostInterface choose(String names, List<HostInterface> host) {
        InterfaceFilter filter = InterfaceFilter.parse(names);
        return host.stream().filter(each -> each.isUsable() && filter.accepts(each.name()))
                .min(Comparator.comparing(HostInterface::name))
                .orElseThrow(() -> new ProxyException(ProxyResult.INVALID_ARGUMENT, RpcOptions.INTERFACE + " is '"
                        + names + "': no interface fits that is up and has an address; this host has " + host));
    }

    private static InetAddress host(ProxyConfig config) {
        String host = config.get(RpcOptions.ADDRESS);
        try {
            return InetAddress.getByName(host);
        } catch (UnknownHostException e) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT,
                    RpcOptions.ADDRESS + " is '" + host + "': no such host", e);
        }
    }

    private static ServiceSocket openUnix(ProxyConfig config, Object who) {
        Path directory = directory(config).resolve("proxyrt-rpc-" + random());
        // Netty deletes the path when it closes, wherever it leads by then: so no other file may have this name.
        Path path = directory.resolve(random());
        int length = path.toString().getBytes(StandardCharsets.UTF_8).length;
        if (length > MAX_PATH_BYTES) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, "the service of " + who + " cannot listen at " + path
                    + ": that has " + length + " bytes, and a socket's path may have " + MAX_PATH_BYTES + "; set "
                    + RpcOptions.DIRECTORY + " to a shorter one");
        }
        try {
            return Leftovers.make(() -> bind(path, config.get(RpcOptions.BACKLOG)));
        } catch (RuntimeException e) {
            Exception cause = e instanceof UncheckedIOException failure ? failure.getCause() : e;
            throw new ProxyException(ProxyResult.SYSTEM_ERROR, "the service of " + who + " cannot listen at " + path
                    + ": " + cause + DescriptorLimit.advice(cause, "; set " + RpcOptions.DIRECTORY
                    + " to a directory that this process may write to"), cause);
        }
    }

    private static ServiceSocket bind(Path path, int backlog) {
        PrivateDirectory.makeNew(path.getParent());
        ServerSocketChannel listener = null;
        ServiceSocket socket = null;
        try {
            listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
            listener.bind(UnixDomainSocketAddress.of(path), backlog);
            Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rw-------"));
            socket = new ServiceSocket(listener, "");
            Leftovers.add(path, () -> remove(path));
            return socket;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            if (socket == null) {
                remove(path);
                close(listener);
            }
        }
    }

    private static void close(ServerSocketChannel listener) {
        if (listener != null) {
            try {
                listener.close();
            } catch (IOException e) {
                LOGGER.warn("a socket of the service is not closed: {}", e.getMessage());
            }
        }
    }

    private static void remove(Path path) {
        if (!PrivateDirectory.remove(path.getParent(), Set.of(path.getFileName().toString()))) {
            LOGGER.warn("{} is left alone: it holds something else than a socket, or is not this user's alone",
                    path.getParent());
        }
    }

    private static String random() {
        return HexFormat.of().toHexDigits(new SecureRandom().nextLong());
    }

    private static Path directory(ProxyConfig config) {
        String directory = config.get(RpcOptions.DIRECTORY);
        return Path.of(directory.isBlank() ? System.getProperty("java.io.tmpdir") : directory).toAbsolutePath();
    }
}

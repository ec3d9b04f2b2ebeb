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
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.platform.DescriptorLimit;
import io.proxyrt.core.platform.Leftovers;
import io.proxyrt.core.platform.PrivateDirectory;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.net.UnknownHostException;
import java.nio.channels.ServerSocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The socket that a service listens at: bound, as the options ask for, with what was chosen and why. */
final class ServiceSocket {
    private static final Logger LOGGER = LoggerFactory.getLogger(ServiceSocket.class);
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
        return Addresses.text(address) + why;
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
            InterfaceChoice choice = InterfaceChoice.onThisHost(names);
            host = choice.address();
            why = " (interface " + choice.name() + ", as " + RpcOptions.INTERFACE + " is " + names + ")";
        }
        PortRange ports = PortRange.of(config);
        try {
            return bind(host, ports, config.get(RpcOptions.BACKLOG), why);
        } catch (IOException | RuntimeException e) {
            throw new ProxyException(ProxyResult.SYSTEM_ERROR, "the service of " + who + " cannot listen at "
                    + Addresses.text(new InetSocketAddress(host, ports.first())) + ports.rest() + why + ": "
                    + e.getMessage() + DescriptorLimit.advice(e, "; set " + ports.option() + " to " + ports.advice()
                    + ", and " + (names.isBlank() ? RpcOptions.ADDRESS + " to an address of this host"
                            : RpcOptions.INTERFACE + " to an interface of this host")), e);
        }
    }

    private static ServiceSocket bind(InetAddress host, PortRange ports, int backlog, String why) throws IOException {
        for (int port = ports.first(); ; port++) {
            ServerSocketChannel listener = ServerSocketChannel.open();
            try {
                listener.bind(new InetSocketAddress(host, port), backlog);
                return new ServiceSocket(listener, why);
            } catch (IOException | RuntimeException e) {
                listener.close();
                if (port == ports.last() || !(e instanceof BindException)) {
                    throw e;
                }
            }
        }
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
        // Netty deletes the path when it closes, wherever it leads by then: so nothing of anybody's has this name.
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

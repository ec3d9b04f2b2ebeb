/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.testkit;

import io.proxyrt.core.platform.Platform;
import io.proxyrt.core.platform.UnixSockets;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** Connections that say nothing, held by the hundred at each port that this process listens at. */
final class Flood implements AutoCloseable {
    private static final String LISTENING = "0A";
    private static final int LOCAL_FIELD = 1;
    private static final int STATE_FIELD = 3;
    private static final int INODE_FIELD = 9;

    private final int perPort;
    private final Set<Integer> flooded = new HashSet<>();
    private final List<SocketChannel> idle = new ArrayList<>();
    private final List<UnixSockets.Socket> idleLocal = new ArrayList<>();

    Flood(int perPort) {
        this.perPort = perPort;
    }

    /** Floods the TCP ports that came since the last time; returns how many. */
    int rise() throws IOException {
        int count = 0;
        for (int port : listening()) {
            if (flooded.add(port)) {
                count++;
                rise(port);
            }
        }
        return count;
    }

    /** Floods a TCP port, of any process. */
    void rise(int port) throws IOException {
        for (int i = 0; i < perPort; i++) {
            idle.add(SocketChannel.open(new InetSocketAddress(InetAddress.getLoopbackAddress(), port)));
        }
    }

    /** Floods a Unix socket: as many as its accept backlog takes by and by. */
    void rise(String address) {
        UnixSockets sockets = Platform.find().unixSockets();
        long deadlineNs = System.nanoTime() + Ranks.TIMEOUT.toNanos();
        for (int i = 0; i < perPort && System.nanoTime() - deadlineNs < 0;) {
            UnixSockets.Socket socket = sockets.connect(address);
            if (socket == null) {
                Thread.onSpinWait();
            } else {
                idleLocal.add(socket);
                i++;
            }
        }
    }

    @Override
    public void close() throws IOException {
        fall();
    }

    /** Closes all connections. */
    void fall() throws IOException {
        for (SocketChannel each : idle) {
            each.close();
        }
        idleLocal.forEach(UnixSockets.Socket::close);
    }

    private static List<Integer> listening() throws IOException {
        Set<String> own = new HashSet<>();
        try (Stream<Path> all = Files.list(Path.of("/proc/self/fd"))) {
            for (Path each : all.toList()) {
                own.add(target(each));
            }
        }
        List<Integer> ports = new ArrayList<>();
        for (String table : List.of("/proc/self/net/tcp", "/proc/self/net/tcp6")) {
            for (String line : Files.readAllLines(Path.of(table))) {
                String[] fields = line.strip().split("\\s+");
                if (fields[STATE_FIELD].equals(LISTENING) && own.contains("socket:[" + fields[INODE_FIELD] + "]")) {
                    ports.add(Integer.parseInt(fields[LOCAL_FIELD].replaceFirst(".*:", ""), 16));
                }
            }
        }
        return ports;
    }

    private static String target(Path descriptor) {
        try {
            return Files.readSymbolicLink(descriptor).toString();
        } catch (IOException e) {
            return "";
        }
    }
}

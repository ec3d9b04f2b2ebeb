/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.testkit;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Another user of this host: what dials its port reaches another one by a socket that a process of that user has
 * opened, byte for byte.
 */
public final class OtherUser implements AutoCloseable {
    /** The number of the user: that of {@code nobody}. */
    public static final int UID = 65_534;
    private static final String RELAY = "exec 3<>/dev/tcp/$0/$1; cat <&3 & exec cat >&3";

    private final InetSocketAddress target;
    private final ServerSocket server;
    private final Set<Process> relays = ConcurrentHashMap.newKeySet();

    /**
     * Opens the port.
     *
     * @param target that connections to it reach
     * @throws IOException if there is no port left
     */
    public OtherUser(InetSocketAddress target) throws IOException {
        this.target = target;
        this.server = new ServerSocket(0, 0, InetAddress.getLoopbackAddress());
        Thread.ofVirtual().start(this::run);
    }

    /**
     * Whether this process may act as another user.
     *
     * @return empty if it may, else the reason
     */
    public static String whyNot() {
        try {
            boolean isThere = new ProcessBuilder(as("true")).redirectErrorStream(true).start().waitFor() == 0;
            return isThere ? "" : "this takes root, who alone may become another user";
        } catch (IOException e) {
            return "this takes setpriv and bash: " + e.getMessage();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return "interrupted";
        }
    }

    /**
     * Where to dial.
     *
     * @return at the loopback interface
     */
    public InetSocketAddress address() {
        return (InetSocketAddress) server.getLocalSocketAddress();
    }

    private void run() {
        try {
            while (true) {
                relay(server.accept());
            }
        } catch (IOException e) {
            relays.forEach(Process::destroyForcibly);
        }
    }

    private void relay(Socket caller) throws IOException {
        Process relay = new ProcessBuilder(as(RELAY, target.getAddress().getHostAddress(),
                Integer.toString(target.getPort()))).redirectError(ProcessBuilder.Redirect.DISCARD).start();
        relays.add(relay);
        Thread.ofVirtual().start(() -> copy(caller::getInputStream, relay::getOutputStream));
        Thread.ofVirtual().start(() -> {
            copy(relay::getInputStream, caller::getOutputStream);
            relay.destroyForcibly();
            copy(InputStream::nullInputStream, caller::getOutputStream);
        });
    }

    private static List<String> as(String script, String... arguments) {
        List<String> command = new java.util.ArrayList<>(List.of("setpriv", "--reuid=" + UID, "--regid=" + UID,
                "--clear-groups", "bash", "-c", script));
        command.addAll(List.of(arguments));
        return command;
    }

    private interface Stream<T> {
        T open() throws IOException;
    }

    /** Until one side has closed; then the other is, too. */
    private static void copy(Stream<InputStream> from, Stream<OutputStream> to) {
        try (InputStream in = from.open(); OutputStream out = to.open()) {
            byte[] bytes = new byte[8192];
            for (int count = in.read(bytes); count >= 0; count = in.read(bytes)) {
                out.write(bytes, 0, count);
                out.flush();
            }
        } catch (IOException e) {
            // One of the two is gone, which the other one sees.
            return;
        }
    }

    /** Ends all connections. */
    @Override
    public void close() throws IOException {
        server.close();
        relays.forEach(Process::destroyForcibly);
    }
}

/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bootstrap;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.config.ProxyConfig;
import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;

/** A rank, or a root, in a JVM of its own: does its part until its standard input ends, or tells it to abort. */
final class ChildRank {
    private ChildRank() {
    }

    /**
     * Starts {@code rank <id> <rank> <nRanks> [<resume> [<silence>]]}, {@code root <nRanks> <silence>}, or rank 0 with
     * the root by {@code host <nRanks>}: told, as arguments can be read.
     */
    static Process start(String... arguments) throws IOException {
        return start(List.of(), arguments);
    }

    /** The same, with more options of its JVM. */
    static Process start(List<String> options, String... arguments) throws IOException {
        final String classPath = Stream.concat(Stream.of(network()), Stream.of(ChildRank.class, Bootstrap.class,
                ProxyException.class, Logger.class).map(ChildRank::root)).distinct()
                .collect(Collectors.joining(System.getProperty("path.separator")));
        final List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-XX:TieredStopAtLevel=1",
                "-Xshare:auto", "-cp", classPath));
        command.addAll(options);
        command.add(ChildRank.class.getName());
        final Process child = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD).start();
        child.outputWriter().append(String.join(" ", arguments)).append('\n').flush();
        return child;
    }

    /** Has an option of the network's, and no class that this module may see. */
    private static String network() {
        return Path.of(ModuleLayer.boot().configuration().findModule("io.proxyrt.transport.net").orElseThrow()
                .reference().location().orElseThrow()).toString();
    }

    private static String root(Class<?> type) {
        final String name = "/" + type.getName().replace('.', '/') + ".class";
        final String url = type.getResource(name).toString();
        final String base = url.substring(0, url.length() - name.length());
        final String file = base.startsWith("jar:") ? base.substring("jar:".length(), base.length() - 1) : base;
        return Path.of(URI.create(file)).toString();
    }

    private static String line() throws IOException {
        final StringBuilder line = new StringBuilder();
        for (int next = System.in.read(); next >= 0 && next != '\n'; next = System.in.read()) {
            line.append((char) next);
        }
        return line.toString();
    }

    /** A job in a small flood: loading a class takes a descriptor, and a test may leave none. */
    private static void rehearse() throws IOException {
        try (BootstrapRoot root = BootstrapRoot.open(UniqueId.random(Jobs.loopback()), 1,
                BootstrapConfig.defaults().withMaxUnauthenticated(1));
                Socket _ = new Socket(root.address().getAddress(), root.address().getPort());
                Socket _ = new Socket(root.address().getAddress(), root.address().getPort())) {
            Bootstrap.join(root.id(), 0, 1, Jobs.LONG).close();
        }
    }

    /** Prints the root's id, or that the rank has joined and then how its job failed. */
    public static void main(String[] none) throws IOException {
        final String[] arguments = line().split(" ");
        if (arguments[0].equals("root")) {
            rehearse();
            final BootstrapConfig config = BootstrapConfig.defaults()
                    .withHeartbeat(Duration.ofMillis(100), Duration.ofMillis(Long.parseLong(arguments[2])));
            try (BootstrapRoot root = BootstrapRoot.open(UniqueId.random(Jobs.loopback()),
                    Integer.parseInt(arguments[1]), config)) {
                System.out.println(root.id());
                System.in.read();
            }
            return;
        }
        if (arguments[0].equals("host")) {
            final int nRanks = Integer.parseInt(arguments[1]);
            try (BootstrapRoot root = Jobs.root(nRanks)) {
                System.out.println(root.id());
                beRank(root.id(), 0, nRanks, settings("0", ""));
            }
            return;
        }
        beRank(UniqueId.parse(arguments[1]), Integer.parseInt(arguments[2]), Integer.parseInt(arguments[3]),
                settings(arguments.length > 4 ? arguments[4] : "0", arguments.length > 5 ? arguments[5] : ""));
    }

    private static ProxyConfig settings(String resume, String silence) {
        final ProxyConfig.Builder settings = ProxyConfig.builder().environment(Map.of())
                .set("net.socket.resume", resume);
        return (silence.isEmpty() ? settings : settings.set("coll.silence.timeout", silence)).build();
    }

    private static void beRank(UniqueId id, int rank, int nRanks, ProxyConfig settings) throws IOException {
        try (Bootstrap bootstrap = Bootstrap.join(id, rank, nRanks, Jobs.LONG, settings)) {
            bootstrap.onFailure(e -> System.out.println(e.result() + ": " + e.getMessage()));
            System.out.println("joined");
            if (System.in.read() == 'a') {
                bootstrap.abort("told to");
                Runtime.getRuntime().halt(3);
            }
        }
    }
}

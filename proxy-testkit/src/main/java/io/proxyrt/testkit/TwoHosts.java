/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.testkit;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Two hosts on one: network namespaces with a cable between them that can be slow, cut, and wrong. Takes root, and the
 * tools {@code ip}, {@code tc} and {@code nft}. What a test that died has left behind is removed by the next one. One
 * thread at a time.
 */
public final class TwoHosts implements AutoCloseable {
    private static final String PREFIX = "proxyrt-";
    private static final Pattern NAME = Pattern.compile(PREFIX + "(\\d+)-\\d+-[01]\\b.*");
    private static final String CABLE = "cable0";
    private static final String NETWORK = "10.77.0.";
    private static final long COMMAND_TIMEOUT_S = 20;
    private static final AtomicInteger COUNT = new AtomicInteger();

    private final String[] names = new String[2];
    private final Thread hook = Thread.ofPlatform().unstarted(this::remove);

    /**
     * Makes the hosts, with addresses on a network of their own, and the cable.
     *
     * @throws IOException if that is not permitted, or a tool is missing
     */
    public TwoHosts() throws IOException {
        reap();
        int count = COUNT.incrementAndGet();
        Runtime.getRuntime().addShutdownHook(hook);
        try {
            for (int host = 0; host < names.length; host++) {
                names[host] = PREFIX + ProcessHandle.current().pid() + "-" + count + "-" + host;
                run("", "ip", "netns", "add", names[host]);
            }
            run("", "ip", "link", "add", CABLE, "netns", names[0], "type", "veth", "peer", "name", CABLE, "netns",
                    names[1]);
            for (int host = 0; host < names.length; host++) {
                run("", "ip", "-n", names[host], "address", "add", address(host) + "/24", "dev", CABLE);
                run("", "ip", "-n", names[host], "link", "set", "lo", "up");
                run("", "ip", "-n", names[host], "link", "set", CABLE, "up");
                run("", "ip", "netns", "exec", names[host], "nft", "list", "ruleset");
            }
            awaitCable();
        } catch (IOException e) {
            close();
            throw e;
        }
    }

    /**
     * Why there can be no two hosts here.
     *
     * @return empty if there can
     */
    public static String whyNot() {
        try (TwoHosts hosts = new TwoHosts()) {
            hosts.limit(1000, 50);
            return "";
        } catch (IOException e) {
            return "network namespaces cannot be had here: " + e.getMessage();
        }
    }

    /**
     * What to put before a command that is to run on a host.
     *
     * @param host 0 or 1
     * @return the words
     */
    public List<String> prefix(int host) {
        return List.of("ip", "netns", "exec", names[host]);
    }

    /**
     * Where the other host reaches this one.
     *
     * @param host 0 or 1
     * @return an IPv4 address
     */
    public String address(int host) {
        return NETWORK + (host + 1);
    }

    /**
     * Limits what the cable carries in each direction.
     *
     * @param mbits   megabits per second
     * @param queueMs how long what exceeds that waits before it is dropped, in milliseconds: the delay under load
     * @throws IOException if that cannot be done
     */
    public void limit(int mbits, int queueMs) throws IOException {
        for (String name : names) {
            run("", "ip", "netns", "exec", name, "tc", "qdisc", "replace", "dev", CABLE, "root", "tbf", "rate",
                    mbits + "mbit", "burst", "128kb", "latency", queueMs + "ms");
        }
    }

    /**
     * Sets the largest packet of one end of the cable.
     *
     * @param host  0 or 1
     * @param bytes of the packet
     * @throws IOException if that cannot be done
     */
    public void mtu(int host, int bytes) throws IOException {
        run("", "ip", "-n", names[host], "link", "set", CABLE, "mtu", Integer.toString(bytes));
    }

    /**
     * What a host has put on the cable.
     *
     * @param host 0 or 1
     * @return bytes, headers included
     * @throws IOException if that cannot be found out
     */
    public long sent(int host) throws IOException {
        return Long.parseLong(run("", "ip", "netns", "exec", names[host], "cat",
                "/sys/class/net/" + CABLE + "/statistics/tx_bytes").strip());
    }

    /**
     * What a host has sent over TCP, and the other one has yet to acknowledge.
     *
     * @param host 0 or 1
     * @return bytes
     * @throws IOException if that cannot be found out
     */
    public long unacknowledged(int host) throws IOException {
        return queued(host, 2, "");
    }

    /**
     * What a host has received over TCP, and its processes have yet to read.
     *
     * @param host  0 or 1
     * @param ports of connections that count, their sender's or receiver's, such as {@code 31000-31999}
     * @return bytes
     * @throws IOException if that cannot be found out
     */
    public long unread(int host, String ports) throws IOException {
        String[] range = ports.split("-");
        return queued(host, 1, "( sport >= :%1$s and sport <= :%2$s ) or ( dport >= :%1$s and dport <= :%2$s )"
                .formatted(range[0], range[1]));
    }

    /**
     * Cuts the cable: packets get lost in silence, in both directions.
     *
     * @throws IOException if that cannot be done
     */
    public void cut() throws IOException {
        filter(List.of(names), "drop");
    }

    /**
     * Loses all packets of TCP connections from or to a range of ports, in both directions.
     *
     * @param ports such as {@code 31000-31999}
     * @throws IOException if that cannot be done
     */
    public void lose(String ports) throws IOException {
        filter(List.of(names), "tcp sport " + ports + " drop", "tcp dport " + ports + " drop");
    }

    /**
     * Resets each TCP connection that carries something from or to a range of ports, as a firewall does.
     *
     * @param ports such as {@code 31000-31999}
     * @throws IOException if that cannot be done
     */
    public void reset(String ports) throws IOException {
        filter(List.of(names), "tcp sport " + ports + " reject with tcp reset",
                "tcp dport " + ports + " reject with tcp reset");
    }

    /**
     * Resets TCP connections that carry something from or to a range of ports, and tells one end only: what a host is
     * sent is refused to the other one, but for bare acknowledgements. What it has sent itself arrives, so it has no
     * reason to send it again, and learns nothing.
     *
     * @param host  0 or 1: the one that is not told
     * @param ports such as {@code 31000-31999}
     * @throws IOException if that cannot be done
     */
    public void resetHalf(int host, String ports) throws IOException {
        String told = "tcp flags & psh == psh reject with tcp reset";
        filter(List.of(names[host]), "tcp sport " + ports + " " + told, "tcp dport " + ports + " " + told);
    }

    /**
     * Undoes {@link #cut}, {@link #lose}, {@link #reset} and {@link #resetHalf}.
     *
     * @throws IOException if that cannot be done
     */
    public void mend() throws IOException {
        for (String name : names) {
            run("", "ip", "netns", "exec", name, "nft", "flush", "ruleset");
        }
    }

    /** Ends all processes on the hosts, and removes these. Idempotent. */
    @Override
    public void close() {
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            // The hook does it: the JVM ends.
            return;
        }
        remove();
    }

    /** The sum of a column of the table of connections. */
    private long queued(int host, int column, String filter) throws IOException {
        long bytes = 0;
        for (String line : run("", "ip", "netns", "exec", names[host], "ss", "-Htn", filter).lines().toList()) {
            bytes += Long.parseLong(line.strip().split("\\s+")[column]);
        }
        return bytes;
    }

    private void filter(List<String> hosts, String... actions) throws IOException {
        StringBuilder rules = new StringBuilder("flush ruleset\ntable inet cable {\n chain in {\n"
                + "  type filter hook input priority 0;\n");
        for (String action : actions) {
            rules.append("  iifname ").append(CABLE).append(' ').append(action).append('\n');
        }
        for (String name : hosts) {
            run(rules + " }\n}\n", "ip", "netns", "exec", name, "nft", "-f", "-");
        }
    }

    /** The system notices in its own time that both ends of the cable are up. */
    private void awaitCable() throws IOException {
        long deadlineNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(COMMAND_TIMEOUT_S);
        for (String name : names) {
            while (!run("", "ip", "-n", name, "link", "show", CABLE).contains("state UP")) {
                if (System.nanoTime() - deadlineNs > 0) {
                    throw new IOException("the cable of " + name + " does not come up");
                }
            }
        }
    }

    private void remove() {
        for (String name : names) {
            if (name != null) {
                remove(name);
            }
        }
    }

    /** Removes the hosts of processes that are gone. */
    private static void reap() throws IOException {
        for (String line : run("", "ip", "netns", "list").lines().toList()) {
            Matcher name = NAME.matcher(line);
            if (name.matches() && ProcessHandle.of(Long.parseLong(name.group(1))).isEmpty()) {
                remove(line.split(" ")[0]);
            }
        }
    }

    private static void remove(String name) {
        try {
            run("", "ip", "netns", "pids", name).lines()
                    .forEach(pid -> ProcessHandle.of(Long.parseLong(pid.strip())).ifPresent(TwoHosts::kill));
            run("", "ip", "netns", "delete", name);
        } catch (IOException e) {
            System.err.println("namespace " + name + " stays: " + e.getMessage());
        }
    }

    private static void kill(ProcessHandle process) {
        process.destroyForcibly();
    }

    private static String run(String input, String... command) throws IOException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        try (var stdin = process.getOutputStream()) {
            stdin.write(input.getBytes(StandardCharsets.UTF_8));
        }
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
        try {
            if (!process.waitFor(COMMAND_TIMEOUT_S, TimeUnit.SECONDS) || process.exitValue() != 0) {
                throw new IOException(String.join(" ", command) + ": " + (output.isEmpty() ? "failed" : output));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException(String.join(" ", command) + ": interrupted", e);
        }
        return output;
    }
}

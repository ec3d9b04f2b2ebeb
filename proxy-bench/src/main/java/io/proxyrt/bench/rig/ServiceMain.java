/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.rig;

import io.proxyrt.core.agent.thread.AgentRunner;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Arrays;
import java.util.List;

/** Rank 0 in a JVM of its own: the other end of the wire. It says where it listens, and ends with its input. */
final class ServiceMain {
    private ServiceMain() {
    }

    /** Arguments: echo or memory, then options. */
    public static void main(String[] words) throws IOException {
        List<String> rest = Arrays.asList(words).subList(1, words.length);
        Rank rank = new Rank(0, Rank.SECRET, new RigArguments(rest).options());
        switch (words[0]) {
            case "echo" -> echo(rank);
            case "memory" -> giveMemory(rank);
            default -> throw new IllegalArgumentException("no such service: " + words[0]);
        }
    }

    private static void echo(Rank rank) throws IOException {
        EchoAgent agent = new EchoAgent(rank);
        serve(rank.start(agent), Addresses.format(agent.address()));
    }

    private static void giveMemory(Rank rank) throws IOException {
        MemoryAgent agent = new MemoryAgent(rank);
        serve(rank.start(agent), agent.address());
    }

    private static void serve(AgentRunner runner, String where) throws IOException {
        runner.awaitSetUp();
        System.out.println(where);
        System.in.transferTo(OutputStream.nullOutputStream());
        Rank.end(runner);
    }
}

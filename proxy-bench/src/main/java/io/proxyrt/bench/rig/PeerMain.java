/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.rig;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** The other process of a rig, which ends with its input. */
final class PeerMain implements Talk {
    private final BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));

    private PeerMain() {
    }

    /** Arguments: what it is, then a rig's. */
    public static void main(String[] words) {
        PeerMain rig = new PeerMain();
        RigArguments arguments = new RigArguments(Arrays.asList(words).subList(1, words.length));
        try (Peer peer = peer(words[0], arguments, rig)) {
            for (String order = rig.line(); order != null; order = rig.line()) {
                peer.obey(order.split(" "), rig);
            }
        }
    }

    private static Peer peer(String what, RigArguments arguments, Talk rig) {
        return switch (what) {
            case "echo" -> EchoAgent.service(new Rank(0, Rank.SECRET, arguments.options()), rig);
            case "memory" -> FdCaller.service(new Rank(0, Rank.SECRET, arguments.options()), rig);
            case "attackers" -> new Attackers(Addresses.parse(arguments.text("service")), rig);
            case "groups" -> GroupRig.peer(arguments, rig);
            case "gpucomm" -> GpuCommRig.peer(arguments, rig);
            default -> End.of(what, 1, arguments, rig);
        };
    }

    @Override
    public String line() {
        try {
            return input.readLine();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void tell(String line) {
        System.out.println(line);
    }
}

/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.collnet.software;

import java.net.InetAddress;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;

/** Turns a host's name into addresses, on a thread of its own: a name service may take as long as it likes. */
final class SwitchLookup {
    private SwitchLookup() {
    }

    /** The addresses of a host, one behind the other to be tried. Digits are known at once. */
    static Future<List<InetAddress>> of(String host) {
        try {
            return CompletableFuture.completedFuture(List.of(InetAddress.ofLiteral(host)));
        } catch (IllegalArgumentException e) {
            FutureTask<List<InetAddress>> lookup = new FutureTask<>(() -> List.of(InetAddress.getAllByName(host)));
            Thread.ofPlatform().daemon().name("proxyrt-lookup-" + host).start(lookup);
            return lookup;
        }
    }
}

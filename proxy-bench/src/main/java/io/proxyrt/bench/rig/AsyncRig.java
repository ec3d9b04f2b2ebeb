/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.rig;

import io.proxyrt.core.service.ProxyClient;
import io.proxyrt.core.service.message.MessageType;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Futures to a service in another JVM: one thread keeps a window of calls outstanding, and waits for the oldest. */
final class AsyncRig {
    private AsyncRig() {
    }

    static Measurements measure(RigArguments arguments)
            throws IOException, InterruptedException, ExecutionException, TimeoutException {
        int window = arguments.number("window");
        Measurements found = new Measurements();
        try (PeerJvm service = PeerJvm.of("echo", RigArguments.words(arguments.options()))) {
            Rank rank = new Rank(1, Rank.SECRET, arguments.options());
            EchoAgent agent = new EchoAgent(rank);
            try (Rank.Running _ = rank.start(agent);
                    ProxyClient client = await(agent.connect(Addresses.parse(service.line())))) {
                run(client, window, arguments.nanos("warmup"));
                found.add("calls_per_s", run(client, window, arguments.nanos("seconds")));
            }
        }
        return found;
    }

    /** Returns calls a second, those included that are answered after the time is up. */
    private static double run(ProxyClient client, int window, long durationNs)
            throws InterruptedException, ExecutionException, TimeoutException {
        Call[] outstanding = new Call[window];
        ByteBuffer body = ByteBuffer.allocate(EchoCaller.BODY_BYTES);
        long calls = 0;
        long start = System.nanoTime();
        for (; System.nanoTime() - start < durationNs; calls++) {
            int slot = (int) (calls % window);
            if (outstanding[slot] != null) {
                outstanding[slot].check();
            }
            body.putLong(0, calls);
            outstanding[slot] = new Call(calls, client.call(MessageType.SETUP, 1, body));
        }
        for (Call call : outstanding) {
            if (call != null) {
                call.check();
            }
        }
        return calls * 1e9 / (System.nanoTime() - start);
    }

    private static <T> T await(CompletableFuture<T> future)
            throws InterruptedException, ExecutionException, TimeoutException {
        return future.get(Rank.PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
    }

    private record Call(long number, CompletableFuture<ByteBuffer> answer) {
        void check() throws InterruptedException, ExecutionException, TimeoutException {
            EchoCaller.check(await(answer), number);
        }
    }
}

/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.example;

import io.proxyrt.bootstrap.PeerLink;
import io.proxyrt.bootstrap.RankRuntime;
import io.proxyrt.bootstrap.launch.RankEnvironment;
import io.proxyrt.bootstrap.launch.Rendezvous;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.device.HostStream;
import io.proxyrt.core.device.MessageKernel;
import io.proxyrt.core.device.MessageSteps;
import io.proxyrt.core.op.OpsPoster;
import io.proxyrt.core.runtime.OpPlan;
import io.proxyrt.core.runtime.StreamWait;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

public final class AllToAll {
    private static final Duration TIMEOUT = Duration.ofSeconds(30);
    private final List<OpPlan> plans = new ArrayList<>();
    private final OpsPoster poster;
    private final HostStream stream;
    private final MessageKernel kernel;
    private final StreamWait done;
    private long count;

    /** Block r of out goes to rank r, and block r of in comes from there. */
    AllToAll(RankRuntime runtime, String transport, MemorySegment out, MemorySegment in) {
        long bytes = out.byteSize() / runtime.nRanks();
        int[] others = IntStream.range(0, runtime.nRanks()).filter(rank -> rank != runtime.rank()).toArray();
        List<MessageSteps> messages = new ArrayList<>();
        for (PeerLink link : runtime.connect(transport, others)) {
            long block = link.peer() * bytes;
            messages.add(MessageSteps.sending(link.send().device(), out.asSlice(block, bytes)));
            messages.add(MessageSteps.receiving(link.recv().device(), in.asSlice(block, bytes)));
            plans.add(OpPlan.of(link.send(), bytes));
            plans.add(OpPlan.of(link.recv(), bytes));
        }
        kernel = new MessageKernel(messages);
        stream = runtime.proxy().stream("all-to-all-" + runtime.rank());
        poster = runtime.proxy().poster();
        done = runtime.waitFor(stream, poster);
    }

    /** All ranks do it as often. */
    void exchange() {
        plans.forEach(plan -> plan.append(poster, count << 1));
        count++;
        poster.post();
        stream.launch(kernel);
        done.await(TIMEOUT);
    }

    public static void main(String[] args) {
        RankEnvironment self = RankEnvironment.detect().orElseThrow();
        ProxyConfig config = ProxyConfig.builder().build();
        try (Rendezvous place = Rendezvous.open(self, config);
                RankRuntime runtime = RankRuntime.join(place.id(), self.rank(), self.nRanks(), config)) {
            long bytes = Long.parseLong(args[1]) * self.nRanks();
            MemorySegment out = Arena.ofAuto().allocate(bytes).fill((byte) self.rank());
            MemorySegment in = Arena.ofAuto().allocate(bytes);
            AllToAll allToAll = new AllToAll(runtime, args[0], out, in);
            for (long left = Long.parseLong(args[2]); left > 0; left--) {
                allToAll.exchange();
                if (left % 1000 == 0) {
                    System.out.println("rank " + self.rank() + ": less than " + left + " to go");
                }
            }
            runtime.bootstrap().barrier(TIMEOUT);
        } catch (ProxyException e) {
            System.out.println(e.getMessage());
            System.exit(1);
        }
    }
}

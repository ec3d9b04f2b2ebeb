/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.proxyrt.core.ThreadingMode;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.runtime.HostLoad;
import io.proxyrt.core.runtime.ProxyState;
import io.proxyrt.core.runtime.ThreadingChoice;
import io.proxyrt.testkit.Await;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AutoThreadingTest {
    @TempDir
    Path directory;

    /** Not those of the job itself, though some ranks' runtimes are there before the others'. */
    @Test
    void shouldSettleAutoAlikeAtAllRanks() throws Exception {
        Set<ThreadingChoice> choices = ConcurrentHashMap.newKeySet();
        InProcessRanks.run(4, InProcessRanks.config(directory, ThreadingMode.AUTO).build(), comm -> {
            choices.add(comm.proxy().threading());
            assertEquals(comm.proxy().threading().mode(), comm.proxy().config().get(CoreOptions.THREADING));
        });
        assertEquals(1, choices.size(), choices::toString);
        HostLoad load = choices.iterator().next().load();
        assertEquals(4, load.ranks());
        assertEquals(0, load.others());
        assertEquals(Set.of(ThreadingChoice.of(ThreadingMode.AUTO, false, load)), choices);
    }

    @Test
    void shouldSeeAnotherJobComeAndGo() throws Exception {
        ProxyConfig config = InProcessRanks.config(directory, ThreadingMode.AUTO).build();
        InProcessRanks.run(2, config, comm -> {
            try (ProxyState other = ProxyState.builder().config(config).start()) {
                awaitOthers(comm, 2);
                assertEquals(2, comm.proxy().threading().load().ranks(), () -> other + " is of another job");
            }
            awaitOthers(comm, 0);
        });
    }

    /** Each rank starts one. */
    private static void awaitOthers(Communicator comm, int others) {
        Await.until(() -> {
            comm.proxy().invoke();
            return comm.proxy().threading().load().others() == others;
        }, () -> "sees " + comm.proxy().threading());
        comm.barrier();
    }
}

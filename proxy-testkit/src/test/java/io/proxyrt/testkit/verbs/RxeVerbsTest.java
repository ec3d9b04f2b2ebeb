/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.testkit.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.verbs.Gid;
import io.proxyrt.core.verbs.QueuePairPath;
import io.proxyrt.core.verbs.SendRequest;
import io.proxyrt.core.verbs.Verbs;
import io.proxyrt.core.verbs.VerbsEvent;
import io.proxyrt.core.verbs.WorkCompletion;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;

/** The library's verbs, on a device of this host, which has to have one: rdma-check.sh runs it in a virtual machine. */
@EnabledIf(value = "io.proxyrt.testkit.verbs.InstalledRdma#isThere", disabledReason = "this host has no RDMA device")
class RxeVerbsTest extends VerbsConformance {
    private static final int WAIT_SECONDS = 60;

    @Override
    protected Verbs open() {
        return Verbs.find();
    }

    @Test
    void shouldFailOnAnAddressThatNoHostHas() {
        sender.toInit();
        QueuePairPath path = sender.path(17, receiver);
        Gid gid = path.remoteGid();
        QueuePairPath nowhere = new QueuePairPath(17, path.mtu(), path.remoteLid(),
                new Gid(gid.high(), gid.low() ^ 0x7f, gid.kind()), path.gidIndex(), 1, 0, 0, 1, 12);
        try {
            sender.queuePair.toReadyToReceive(nowhere);
            sender.queuePair.toReadyToSend(10, 3, 7, 1);
            assertEquals(0, sender.post(receiver, SendRequest.RDMA_WRITE, 0, 0, 8));
            assertEquals(WorkCompletion.RETRY_EXCEEDED, sender.await().status());
        } catch (ProxyException e) {
            assertEquals(ProxyResult.REMOTE_ERROR, e.result(), e.getMessage());
        }
    }

    @Test
    void shouldTellThatALinkGoesDownAndComesBack() throws IOException, InterruptedException {
        String device = sender.context.device();
        assumeTrue(InstalledRdma.hasLinksOfItsOwn(), "the links of this host are left alone");
        String link = Files.readString(Path.of("/sys/class/infiniband", device, "ports/1/gid_attrs/ndevs/0")).strip();
        try {
            set(link, "down");
            awaitEvent(VerbsEvent.PORT_ERR);
            assertTrue(!sender.context.port(1).isActive());
        } finally {
            set(link, "up");
        }
        awaitEvent(VerbsEvent.PORT_ACTIVE);
        assertTrue(sender.context.port(1).isActive());
    }

    private void awaitEvent(int type) {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(WAIT_SECONDS);
        VerbsEvent event = null;
        while (event == null || event.type() != type) {
            assertTrue(System.nanoTime() - deadline < 0, "no event " + new VerbsEvent(type, 1).name());
            event = sender.context.awaitEvent(TimeUnit.SECONDS.toNanos(1));
        }
        assertEquals(1, event.port());
    }

    private static void set(String link, String state) throws IOException, InterruptedException {
        Process ip = new ProcessBuilder("ip", "link", "set", link, state).inheritIO().start();
        assertTrue(ip.waitFor(WAIT_SECONDS, TimeUnit.SECONDS) && ip.exitValue() == 0, "ip link set " + link);
    }
}

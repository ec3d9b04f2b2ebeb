/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.OwnedFd;
import io.proxyrt.core.PeerId;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.ThreadingMode;
import io.proxyrt.core.counters.Counter;
import io.proxyrt.core.device.DeviceMemory;
import io.proxyrt.core.runtime.ProxyState;
import io.proxyrt.core.runtime.ServiceClient;
import io.proxyrt.core.service.message.CloseRequest;
import io.proxyrt.core.service.message.RegisterRequest;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is done very often leaves nothing behind. */
@Tag(Extent.SCALED)
class LeakTest {
    private static final int RUNTIMES = Extent.count(400);
    private static final int GET_FDS = Extent.count(10_000);
    /** A third of them is never used, and may not be more than a peer may have waiting. */
    private static final int REGISTERS = 600;
    private static final long SEED = 20_261_122;
    private static final long BYTES = 4096;
    /** Threads of the JDK keep a buffer each for what they read and write. */
    private static final long DIRECT_TOLERANCE_BYTES = 1 << 20;
    private static final List<ThreadingMode> MODES = List.of(ThreadingMode.INVOKER, ThreadingMode.DEDICATED,
            ThreadingMode.SHARED);

    @TempDir
    Path directory;

    @Test
    void shouldGiveEverythingBackThatRuntimesTook() {
        for (int i = 0; i < 2 * MODES.size(); i++) {
            useRuntime(i);
        }
        Holdings before = Holdings.now();
        long directBefore = Holdings.directBytes();
        long start = System.nanoTime();
        for (int i = 0; i < RUNTIMES; i++) {
            useRuntime(i);
        }
        System.out.printf("leaks: %,d runtimes created, used and closed in %,d ms%n", RUNTIMES,
                (System.nanoTime() - start) / 1_000_000);
        assertEquals(before, Holdings.now());
        assertDirectMemory(directBefore);
    }

    @Test
    void shouldGiveEveryDescriptorBackWhateverBecomesOfItsGetFd() throws Exception {
        try (ProxyState service = Ranks.start(0, directory, ScriptedTransport.stuck(), Map.of());
                ProxyState caller = Ranks.start(1, directory, ScriptedTransport.stuck(), Map.of());
                DeviceMemory memory = service.device().allocateShareable(BYTES)) {
            long[] handles = {service.memory().export(memory, Set.of(1)),
                    service.memory().export(memory, Set.of(1, 2)), service.memory().export(memory, Set.of(2))};
            caller.memory().getFd(service.memory().address(), Ranks.TIMEOUT, handles[0]).forEach(OwnedFd::close);
            // The service closes its own a moment after it has sent it.
            Siege.awaitDescriptors("/memfd:proxyrt-host:0", 1);
            Holdings before = Holdings.now();
            long directBefore = Holdings.directBytes();
            long start = System.nanoTime();
            int failures = getFds(service, caller, handles, new Random(SEED), GET_FDS);
            System.out.printf("leaks: %,d GetFds, of which %,d failed or were given up, in %,d ms%n", GET_FDS,
                    failures, (System.nanoTime() - start) / 1_000_000);
            assertTrue(failures > GET_FDS / 4 && failures < GET_FDS * 3 / 4, "only some were meant to fail");
            Siege.await(before, Holdings::now);
            assertDirectMemory(directBefore);
        }
    }

    @Test
    void shouldGiveEveryDescriptorBackWhateverBecomesOfItsRegister() {
        ScriptedTransport transport = ScriptedTransport.stuck();
        try (ProxyState service = Ranks.start(0, directory, transport, Map.of("uds.fd.timeout", "100ms"));
                ProxyState caller = Ranks.start(1, directory, ScriptedTransport.stuck(), Map.of());
                ServiceClient client = caller.client(service.serviceAddress());
                DeviceMemory memory = caller.device().allocateShareable(BYTES);
                OwnedFd fd = caller.device().exportFd(memory)) {
            register(service, caller, client, fd, 0);
            Siege.await(0, transport::live);
            Holdings before = Holdings.now();
            for (int i = 0; i < REGISTERS; i++) {
                register(service, caller, client, fd, i);
            }
            Siege.await(0, transport::live);
            assertEquals(0, transport.registered());
            Siege.await(before, Holdings::now);
        }
    }

    /** Starts one, makes a connection, shares memory, closes; in this mode and with those sockets, or others. */
    private void useRuntime(int turn) {
        ScriptedTransport transport = ScriptedTransport.stuck();
        boolean isNative = turn / MODES.size() % 2 == 0;
        try (ProxyState proxy = Ranks.start(0, directory, transport, Map.of(
                "threading", MODES.get(turn % MODES.size()).name(), "uds.sockets", isNative ? "NATIVE" : "JUNIXSOCKET",
                "rpc.listen", isNative ? "tcp" : "unix", "rpc.directory", directory.toString()));
                ServiceClient client = proxy.client(proxy.serviceAddress())) {
            Ranks.connect(client, 3);
            long handle = proxy.memory().export(proxy.device().allocateShareable(BYTES), Set.of(0));
            try (DeviceMemory mapped = proxy.memory().open(proxy.memory().address(), handle, Ranks.TIMEOUT)) {
                assertEquals(BYTES, mapped.segment().byteSize());
            }
            assertEquals(1, proxy.counters().get(Counter.CONNECTIONS));
        }
        assertEquals(0, transport.live());
    }

    private static int getFds(ProxyState service, ProxyState caller, long[] handles, Random random, int count) {
        String address = service.memory().address();
        int failures = 0;
        for (int i = 0; i < count; i++) {
            switch (random.nextInt(5)) {
                case 0, 1 -> caller.memory().getFd(address, Ranks.TIMEOUT, handles[0], handles[1])
                        .forEach(OwnedFd::close);
                case 2 -> failures += refused(ProxyResult.INVALID_ARGUMENT, caller, address, handles[0],
                        random.nextLong());
                case 3 -> failures += refused(ProxyResult.INVALID_USAGE, caller, address, handles[0], handles[2]);
                default -> failures += giveUp(address, handles[random.nextInt(2)], random);
            }
        }
        return failures;
    }

    private static int refused(ProxyResult result, ProxyState caller, String address, long... handles) {
        ProxyException refusal = assertThrows(ProxyException.class,
                () -> caller.memory().getFd(address, Ranks.TIMEOUT, handles));
        assertEquals(result, refusal.result());
        return 1;
    }

    /** Asks, whole or in part, and goes away. */
    private static int giveUp(String address, long handle, Random random) {
        try (RawUdsCaller caller = RawUdsCaller.insider(address, new PeerId(1, 99))) {
            byte[] request = RawUdsCaller.frame(RawUdsCaller.GET_FD, 1, 1, 0, RawUdsCaller.longs(handle, handle));
            caller.send(Arrays.copyOf(request, random.nextInt(2) == 0 ? request.length
                    : random.nextInt(request.length)));
        }
        return 1;
    }

    /** Registers what was sent: as one should, beyond its end, or not at all. */
    private static void register(ProxyState service, ProxyState caller, ServiceClient client, OwnedFd fd, int turn) {
        long id = Ranks.connect(client, 3);
        int number = caller.memory().queryFd(service.memory().address(), Ranks.TIMEOUT, List.of(fd))[0];
        RegisterRequest good = new RegisterRequest(RegisterRequest.Source.FD, number, 0, BYTES);
        RegisterRequest beyond = new RegisterRequest(RegisterRequest.Source.FD, number, BYTES, 1);
        switch (turn % 3) {
            case 0 -> client.callBlocking(id, good, Ranks.TIMEOUT);
            case 1 -> assertThrows(ProxyException.class, () -> client.callBlocking(id, beyond, Ranks.TIMEOUT));
            default -> assertTrue(number >= 0, "it is not used");
        }
        client.callBlocking(id, new CloseRequest(), Ranks.TIMEOUT);
    }

    /** What is not referenced any more is given back by the next collection, and soon after it. */
    private static void assertDirectMemory(long before) {
        System.gc();
        Siege.await(true, () -> Holdings.directBytes() - before < DIRECT_TOLERANCE_BYTES);
    }
}

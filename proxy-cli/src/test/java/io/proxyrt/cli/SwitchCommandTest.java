/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.DataType;
import io.proxyrt.core.RedOp;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.testkit.ChildJvm;
import io.proxyrt.transport.collnet.spi.CollNetComm;
import io.proxyrt.transport.collnet.spi.CollNetConnectComm;
import io.proxyrt.transport.collnet.spi.CollNetListenComm;
import io.proxyrt.transport.collnet.spi.CollNetMemory;
import io.proxyrt.transport.collnet.spi.CollNetPlugin;
import io.proxyrt.transport.collnet.spi.CollNetPluginProvider;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.ServiceLoader;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

@Timeout(value = 10, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SwitchCommandTest {
    @TempDir
    private Path folder;

    private ChildJvm start(String... more) throws IOException {
        final List<String> arguments = new ArrayList<>(List.of("collnet-switch", "--set",
                "directory=" + folder.resolve("runtimes")));
        arguments.addAll(List.of(more));
        return new ChildJvm(List.of(), ProxyRt.class, arguments.toArray(String[]::new));
    }

    @ParameterizedTest
    @ValueSource(strings = {"INT", "TERM"})
    void shouldRunUntilItIsInterrupted(String signal) throws IOException {
        try (ChildJvm child = start("--threads", "2")) {
            final String ready = child.line();
            assertTrue(ready.matches("switch 127\\.0\\.0\\.1:\\d+ is ready"), ready);
            assertTrue(stat().contains("job " + ready.replace(" is ready", "")), stat());

            child.signal(signal);
            assertNull(child.line());
            assertEquals("no running runtime found under " + folder.resolve("runtimes") + "\n", stat());
        }
    }

    @Test
    void shouldHaveASumGoThroughItAsAChildOfAnother() throws IOException {
        try (ChildJvm root = start()) {
            final String address = root.line().split(" ")[1];
            try (ChildJvm child = start("--parent", address)) {
                final String below = child.line().split(" ")[1];
                assertSummed(List.of(address, below, below));
                awaitCounted("job switch " + address, "switch calls +1\\b");
                awaitCounted("job switch " + below, "switch bytes out +[1-9]");
            }
        }
    }

    /** Each participant is at a switch of its own choice, and all of them in one group. */
    private static void assertSummed(List<String> switches) {
        final List<CollNetPlugin> nets = new ArrayList<>();
        try (Arena arena = Arena.ofConfined()) {
            switches.forEach(each -> nets.add(network(each, nets.size())));
            final List<CollNetListenComm> listens = nets.stream().map(net -> net.listen(0)).toList();
            final List<ByteBuffer> handles = listens.stream().map(CollNetListenComm::handle).toList();
            final List<CollNetConnectComm> attempts = IntStream.range(0, nets.size())
                    .mapToObj(i -> nets.get(i).connect(0, handles, i, listens.get(i))).toList();
            final List<CollNetComm> comms = connected(attempts);
            final MemorySegment data = arena.allocate(ValueLayout.JAVA_LONG, comms.size());
            final long[] requests = new long[comms.size()];
            for (int i = 0; i < requests.length; i++) {
                data.setAtIndex(ValueLayout.JAVA_LONG, i, 1L << i);
                final CollNetMemory own = comms.get(i).regMr(data);
                requests[i] = comms.get(i).iallreduce(own, 8L * i, own, 8L * i, 1, DataType.INT64, RedOp.SUM);
            }
            for (int i = 0; i < requests.length; i++) {
                assertEquals(1, await(comms.get(i), requests[i]), comms.get(i).failure());
                assertEquals((1L << requests.length) - 1, data.getAtIndex(ValueLayout.JAVA_LONG, i));
            }
            comms.forEach(CollNetComm::close);
        } finally {
            nets.forEach(CollNetPlugin::close);
        }
    }

    private static CollNetPlugin network(String collNetSwitch, int rank) {
        SwitchCommandTest.class.getModule().addUses(CollNetPluginProvider.class);
        return ServiceLoader.load(CollNetPluginProvider.class).stream().map(ServiceLoader.Provider::get)
                .filter(each -> each.name().equals("Switch")).findFirst().orElseThrow()
                .create(ProxyConfig.builder().set("collnet.switch", collNetSwitch).build(), rank);
    }

    private static List<CollNetComm> connected(List<CollNetConnectComm> attempts) {
        final CollNetComm[] comms = new CollNetComm[attempts.size()];
        for (int missing = comms.length; missing > 0;) {
            for (int i = 0; i < comms.length; i++) {
                if (comms[i] == null) {
                    comms[i] = attempts.get(i).connect();
                    missing -= comms[i] == null ? 0 : 1;
                }
            }
            Thread.yield();
        }
        return List.of(comms);
    }

    private static int await(CollNetComm comm, long request) {
        int result = 0;
        while (result == 0) {
            result = comm.test(request);
            Thread.yield();
        }
        return result;
    }

    /** A switch shows its counters twice a second. */
    private void awaitCounted(String job, String pattern) {
        final Pattern counted = Pattern.compile(pattern);
        String own = "";
        while (!counted.matcher(own).find()) {
            own = Arrays.stream(stat().split("(?m)^(?=job )")).filter(each -> each.startsWith(job + ",")).findFirst()
                    .orElse("");
            Thread.yield();
        }
    }

    private String stat() {
        final StringWriter out = new StringWriter();
        final CommandLine command = ProxyRt.commandLine();
        command.setOut(new PrintWriter(out, true));
        assertEquals(0, command.execute("stat", "--directory", folder.resolve("runtimes").toString()));
        return out.toString();
    }
}

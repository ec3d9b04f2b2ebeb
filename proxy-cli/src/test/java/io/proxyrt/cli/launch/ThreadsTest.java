/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.launch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.ThreadingMode;
import io.proxyrt.core.agent.thread.CpuLatency;
import io.proxyrt.core.agent.thread.CpuList;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.platform.Platform;
import io.proxyrt.core.runtime.ProxyState;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the operating system is asked for the threads of a whole runtime. */
class ThreadsTest {
    private static final List<String> UNPRIVILEGED =
            List.of("prlimit", "--rtprio=0", "setpriv", "--inh-caps=-sys_nice", "--bounding-set=-sys_nice");

    private static final List<String> FULL_DEVICE = List.of("unshare", "--mount", "sh", "-c",
            "mount --bind /dev/full " + CpuLatency.DEVICE + " && exec \"$@\"", "sh");

    @TempDir
    private Path folder;

    @Test
    void shouldNameTheThreadsForTheSystem() throws IOException {
        try (ProxyState proxy = start("", ThreadingMode.DEDICATED)) {
            proxy.stream("proxy-stream-0");

            assertEquals(List.of("named prx-progress-0", "named prx-service-0", "named prx-uds-0",
                            "named prx-stream-0"),
                    proxy.threads().stream().map(line -> line.substring(line.indexOf("named"), line.indexOf(',')))
                            .toList());
            List<String> names = names();
            assertTrue(names.containsAll(List.of("prx-progress-0", "prx-service-0", "prx-uds-0", "prx-stream-0")),
                    names::toString);
        }
    }

    @Test
    void shouldKeepTheProxyThreadsButNotTheStreamsOnTheCpusAskedFor() {
        BitSet all = Platform.find().processCpus();
        int last = all.length() - 1;
        try (ProxyState proxy = start(last + ",65535", ThreadingMode.DEDICATED)) {
            proxy.stream("proxy-stream-0");

            assertEquals(List.of("" + last, "" + last, "" + last, CpuList.format(all)),
                    proxy.threads().stream().map(line -> line.substring(line.lastIndexOf("CPUs ") + 5)).toList());
        }
    }

    @Test
    void shouldSayThatAnInvokerHasNoThreads() {
        try (ProxyState proxy = start("", ThreadingMode.INVOKER)) {
            assertEquals(List.of("no threads: the caller drives the agents, on threads that it sets up itself"),
                    proxy.threads());
        }
    }

    @Test
    void shouldKeepIdleCpusAwakeUntilItIsClosed() throws IOException {
        Assumptions.assumeTrue(CpuLatency.isPermitted(), "this process may not write " + CpuLatency.DEVICE);
        try (ProxyState proxy = start(config("", ThreadingMode.INVOKER).set(CoreOptions.CPU_LATENCY, 0))) {
            assertEquals("idle CPUs wake within 0 us", proxy.threads().getLast());
            assertTrue(opens(CpuLatency.DEVICE));
        }
        assertFalse(opens(CpuLatency.DEVICE));
    }

    /** A device that takes nothing lies over the real one, for this process only. */
    @Test
    void shouldNotStartWithoutTheLatencyAskedFor() throws Exception {
        Assumptions.assumeTrue(Files.exists(CpuLatency.DEVICE), "there is no " + CpuLatency.DEVICE);
        List<String> refusing = CpuLatency.isPermitted() ? FULL_DEVICE : List.of();
        Assumptions.assumeTrue(canRun(refusing), "nothing can be mounted here");

        String output = refusal(refusing, "PROXYRT_CPU_LATENCY", "0");

        assertTrue(output.contains("rank 0: proxyrt.cpu.latency: cannot hold " + CpuLatency.DEVICE + ": "), output);
    }

    @Test
    void shouldNotStartWithoutAnyOfTheCpusAskedFor() throws IOException {
        ProxyException e = assertThrows(ProxyException.class, () -> start("65535", ThreadingMode.DEDICATED));

        assertEquals(ProxyResult.INVALID_ARGUMENT, e.result());
        assertEquals(List.of(), leftovers());
    }

    @Test
    void shouldNotStartWithoutThePriorityAskedFor() throws Exception {
        Assumptions.assumeTrue(canRun(UNPRIVILEGED), "there is no setpriv that drops a capability here");

        String output = refusal(UNPRIVILEGED, "PROXYRT_REALTIME_PRIORITY", "1");

        assertTrue(output.contains("rank 0: proxy-progress-0, proxyrt.realtime.priority: cannot give the calling thread"
                + " SCHED_FIFO priority 1: EPERM (1); it takes the capability CAP_SYS_NICE"), output);
    }

    /** What a process says that does not start with an option, and leaves nothing behind. */
    private String refusal(List<String> prefix, String variable, String value) throws Exception {
        try (PerfProcess perf = new PerfProcess(prefix, runtimes(), Map.of(variable, value), "perf", "all_reduce",
                "--ranks", "1", "--in-process", "--threading", "dedicated", "-b", "8", "-e", "8", "--jit-warmup",
                "0")) {
            assertNotEquals(0, perf.await(Duration.ofMinutes(1)), perf::toString);
            assertEquals(List.of(), leftovers());
            return perf.toString();
        }
    }

    private ProxyState start(String cpuset, ThreadingMode mode) {
        return start(config(cpuset, mode));
    }

    private static ProxyState start(ProxyConfig.Builder config) {
        return ProxyState.builder().config(config.build()).start();
    }

    private ProxyConfig.Builder config(String cpuset, ThreadingMode mode) {
        return ProxyConfig.builder().environment(Map.of()).set(CoreOptions.CPUSET, cpuset)
                .set(CoreOptions.THREADING, mode).set(CoreOptions.DIRECTORY, runtimes().toString());
    }

    private static boolean opens(Path file) throws IOException {
        try (Stream<Path> descriptors = Files.list(Path.of("/proc/self/fd"))) {
            return descriptors.anyMatch(descriptor -> isLinkTo(descriptor, file));
        }
    }

    /** A descriptor of the listing itself may be gone again. */
    private static boolean isLinkTo(Path link, Path file) {
        try {
            return Files.readSymbolicLink(link).equals(file);
        } catch (IOException e) {
            return false;
        }
    }

    /** A runtime that closes deletes its files, and the folder with them if that is empty then. */
    private List<Path> leftovers() throws IOException {
        if (Files.notExists(runtimes())) {
            return List.of();
        }
        try (Stream<Path> files = Files.walk(runtimes())) {
            return files.filter(Files::isRegularFile).toList();
        }
    }

    private Path runtimes() {
        return folder.resolve("runtimes");
    }

    private static List<String> names() throws IOException {
        List<String> names = new ArrayList<>();
        try (Stream<Path> tasks = Files.list(Path.of("/proc/self/task"))) {
            for (Path task : tasks.toList()) {
                names.add(Files.readString(task.resolve("comm")).strip());
            }
        }
        return names;
    }

    private static boolean canRun(List<String> wrapper) throws InterruptedException {
        List<String> command = new ArrayList<>(wrapper);
        command.add("true");
        try {
            return new ProcessBuilder(command).start().waitFor() == 0;
        } catch (IOException e) {
            return false;
        }
    }
}

/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.natives;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.agent.thread.CpuList;
import io.proxyrt.core.agent.thread.ThreadSetup;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.platform.Platform;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

class NativeThreadTest {
    private static final List<String> UNPRIVILEGED =
            List.of("prlimit", "--rtprio=0", "setpriv", "--inh-caps=-sys_nice", "--bounding-set=-sys_nice");
    /** Of the fields of a stat file, counted from the name, the 2nd: the 40th and the 41st. */
    private static final int PRIORITY = 40 - 2;
    private static final int POLICY = 41 - 2;

    private final Platform platform = Platform.find();

    /** Asks for a real-time priority, and says what came of it. */
    static final class Child {
        private Child() {
        }

        public static void main(String[] args) throws Exception {
            try {
                Platform.find().realtimePriority(1);
                System.out.println(scheduling());
            } catch (ProxyException e) {
                System.out.println(e.result() + " " + e.getMessage());
            }
        }
    }

    /** Sets its thread up as the environment says, and says what came of it. */
    static final class BoundChild {
        private BoundChild() {
        }

        public static void main(String[] args) {
            try {
                System.out.println(ThreadSetup.of(Platform.find(), ProxyConfig.builder().build(), 0)
                        .apply("proxy-progress-0", ThreadSetup.Duty.PROGRESS));
            } catch (ProxyException e) {
                System.out.println(e.result() + " " + e.getMessage());
            }
        }
    }

    /** As a launcher that binds processes where they should not be. */
    @Test
    void shouldLeaveTheProcesssCpusOnlyIfThatIsAskedFor() throws Exception {
        int given = platform.processCpus().nextSetBit(0);
        int other = platform.processCpus().nextSetBit(given + 1);
        Assumptions.assumeTrue(other > 0, "one CPU");
        List<String> bound = List.of("NCCL_PROXY_CPUSET=" + other, "taskset", "-c", Integer.toString(given));

        String refused = child(BoundChild.class, with(bound, "env"));
        String ignored = child(BoundChild.class, with(bound, "env", "NCCL_IGNORE_CPU_AFFINITY=1"));

        assertTrue(refused.startsWith("INVALID_ARGUMENT") && refused.contains("may use: " + given), refused);
        assertTrue(ignored.endsWith(", CPUs " + other), ignored);
    }

    private static List<String> with(List<String> end, String... begin) {
        List<String> all = new ArrayList<>(List.of(begin));
        all.addAll(end);
        return all;
    }

    @Test
    void shouldBindAThreadAndNoOther() throws Exception {
        BitSet own = platform.threadCpus();
        BitSet one = new BitSet();
        one.set(platform.processCpus().previousSetBit(Integer.MAX_VALUE));

        BitSet bound = onThread(() -> {
            platform.bindThread(one);
            return platform.threadCpus();
        });

        assertEquals(one, bound);
        assertEquals(own, platform.threadCpus());
    }

    @Test
    void shouldFreeAThreadAgain() throws Exception {
        BitSet all = platform.processCpus();
        BitSet one = new BitSet();
        one.set(all.nextSetBit(0));

        assertEquals(all, onThread(() -> {
            platform.bindThread(one);
            platform.bindThread(all);
            return platform.threadCpus();
        }));
    }

    @Test
    void shouldSeeTheCpusThatTheKernelReports() throws Exception {
        String cpus = Files.readAllLines(Path.of("/proc/self/status")).stream()
                .filter(line -> line.startsWith("Cpus_allowed:")).findFirst().orElseThrow();
        String digits = cpus.substring(cpus.indexOf(':') + 1).strip().replace(",", "");

        assertEquals(new BigInteger(digits, 16).bitCount(), platform.processCpus().cardinality());
    }

    @Test
    void shouldRefuseCpusThatThereAreNot() {
        BitSet absent = new BitSet();
        absent.set(8191);

        ProxyException e = assertThrows(ProxyException.class, () -> platform.bindThread(absent));

        assertEquals(ProxyResult.SYSTEM_ERROR, e.result());
        assertEquals("cannot bind the calling thread to the CPUs 8191: EINVAL (22); this process may use "
                + CpuList.format(platform.processCpus()), e.getMessage());
    }

    @Test
    void shouldNameAThreadForTheSystem() throws Exception {
        assertEquals("prx-progress-12\n", onThread(() -> {
            platform.nameThread("prx-progress-12");
            return Files.readString(Path.of("/proc/thread-self/comm"));
        }));
    }

    @Test
    void shouldRefuseALongName() {
        ProxyException e = assertThrows(ProxyException.class, () -> platform.nameThread("prx-progress-123"));
        assertEquals(ProxyResult.INVALID_ARGUMENT, e.result());
    }

    @Test
    void shouldShortenTimedWaits() throws Exception {
        assertEquals("1000\n", onThread(() -> {
            platform.timerSlack(1_000);
            return Files.readString(Path.of("/proc", threadId(), "timerslack_ns"));
        }));
    }

    @Test
    void shouldShortenATurnOrSayWhatThatTakes() throws Exception {
        String outcome = onThread(() -> {
            try {
                platform.timeSlice(300_000);
            } catch (ProxyException e) {
                return e.getMessage();
            }
            return Files.readAllLines(Path.of("/proc/thread-self/sched")).stream()
                    .filter(line -> line.startsWith("se.slice")).findFirst().orElseThrow().replaceAll("[^0-9]", "");
        });

        assertTrue(outcome.equals("300000") || outcome.equals("cannot give the calling thread a time slice of 300000"
                + " ns: it takes Linux 6.12, and a thread without real-time priority"), outcome);
    }

    @Test
    void shouldGiveARealtimePriorityOrSayWhatItTakes() throws Exception {
        String outcome = child(List.of());

        assertTrue(outcome.equals("priority 1 policy 1") || outcome.equals(refusal()), outcome);
    }

    @Test
    void shouldSayWhatARealtimePriorityTakes() throws Exception {
        Assumptions.assumeTrue(works(UNPRIVILEGED), "there is no setpriv that drops a capability here");

        assertEquals(refusal(), child(UNPRIVILEGED));
    }

    @Test
    void shouldRefuseValuesOutOfRange() {
        for (int priority : new int[] {-1, 0, 100}) {
            ProxyException e = assertThrows(ProxyException.class, () -> platform.realtimePriority(priority));
            assertEquals(ProxyResult.INVALID_ARGUMENT, e.result());
        }
        ProxyException e = assertThrows(ProxyException.class, () -> platform.timerSlack(0));
        assertEquals(ProxyResult.INVALID_ARGUMENT, e.result());
        e = assertThrows(ProxyException.class, () -> platform.timeSlice(0));
        assertEquals(ProxyResult.INVALID_ARGUMENT, e.result());
    }

    private static String refusal() {
        return "SYSTEM_ERROR cannot give the calling thread SCHED_FIFO priority 1: EPERM (1); it takes the capability"
                + " CAP_SYS_NICE, or an RLIMIT_RTPRIO (ulimit -r) of 1 at least";
    }

    private static String child(List<String> prefix) throws Exception {
        return child(Child.class, prefix);
    }

    private static String child(Class<?> main, List<String> prefix) throws Exception {
        try (ChildJvm child = new ChildJvm(prefix, List.of(ChildJvm.NATIVE_ACCESS), main)) {
            return String.join("\n", child.rest());
        }
    }

    private static boolean works(List<String> prefix) throws InterruptedException {
        List<String> command = new ArrayList<>(prefix);
        command.add("true");
        try {
            return new ProcessBuilder(command).start().waitFor() == 0;
        } catch (IOException e) {
            return false;
        }
    }

    private static String scheduling() throws Exception {
        String stat = Files.readString(Path.of("/proc/thread-self/stat"));
        String[] fields = stat.substring(stat.lastIndexOf(')')).split(" ");
        return "priority " + fields[PRIORITY] + " policy " + fields[POLICY];
    }

    private static String threadId() throws Exception {
        return Path.of("/proc/thread-self").toRealPath().getFileName().toString();
    }

    private static <T> T onThread(Callable<T> call) throws Exception {
        FutureTask<T> task = new FutureTask<>(call);
        Thread.ofPlatform().daemon().start(task);
        return task.get(50, TimeUnit.SECONDS);
    }
}

/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.natives.gpu;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.proxyrt.core.platform.NvLink;
import io.proxyrt.core.platform.NvidiaDriver;
import io.proxyrt.core.platform.NvidiaGpu;
import io.proxyrt.core.platform.PciAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What is asked of NVML, whose GPUs are at 0000:11:00.0, 0000:21:00.0 and so on. */
class NvmlDriverTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final List<NvLink> TO_SWITCHES = List.of(new NvLink("0000:03:00.0", 5, false),
            new NvLink("0000:04:00.0", 5, false), new NvLink("0000:05:00.0", 5, false),
            new NvLink("0000:06:00.0", 3, false));

    @TempDir
    private Path folder;

    @Test
    void shouldCountTheLinksToEachSwitch() {
        StandInLibrary nvml = nvml();
        NvidiaDriver.Answer answer = ask(8);
        assertEquals(List.of(), answer.problems());
        assertEquals(gpus(8), answer.gpus().stream().map(NvidiaGpu::address).toList());
        answer.gpus().forEach(gpu -> assertEquals(new NvidiaGpu(gpu.address(), 90, TO_SWITCHES, 0, 0), gpu));
        String calls = nvml.calls();
        assertTrue(calls.startsWith("init ") && calls.endsWith(" shutdown"), calls);
        assertEquals(1, calls.split("shutdown", -1).length - 1, "as often as init");
    }

    /** Also by a library that does not tell what is at the other end. */
    @ParameterizedTest
    @ValueSource(strings = {"-DNEW", "-DOLD"})
    void shouldCountTheLinksToEachGpu(String version) {
        nvml(version, "-DGPUS=4", "-DLINKS=12", "-DSWITCHED=0", "-DCAPABILITY=80");
        List<NvidiaGpu> gpus = ask(4).gpus();
        assertEquals(List.of("0000:21:00.0", "0000:31:00.0", "0000:41:00.0"), targets(gpus.get(0)));
        assertEquals(List.of("0000:11:00.0", "0000:21:00.0", "0000:31:00.0"), targets(gpus.get(3)));
        assertTrue(gpus.stream().flatMap(gpu -> gpu.links().stream()).allMatch(link -> link.count() == 4
                && link.isGpu()));
        assertEquals(80, gpus.getFirst().computeCapability());
    }

    /** Hopper's links are asked by a field, those before by a function. */
    @ParameterizedTest
    @CsvSource({"-DCAPABILITY=90, 0", "-DCAPABILITY=90, 17", "-DCAPABILITY=80, 0"})
    void shouldLeaveOutALinkThatIsDown(String option, int down) {
        nvml(option, "-DDOWN=" + down);
        List<NvidiaGpu> gpus = ask(2).gpus();
        int all = option.endsWith("90") ? 18 : 12;
        assertEquals(all - 1, count(gpus.getFirst()));
        assertEquals(all, count(gpus.getLast()));
    }

    @Test
    void shouldLeaveOutLinksThatCarryNoDataOfPeers() {
        nvml("-DPEER_LINKS=7");
        assertEquals(List.of(TO_SWITCHES.getFirst(), new NvLink("0000:04:00.0", 2, false)),
                ask(1).gpus().getFirst().links());
    }

    @ParameterizedTest
    @CsvSource({"50, 0", "60, 4", "70, 6", "75, 6", "89, 12", "90, 18", "120, 18"})
    void shouldAskForAsManyLinksAsAGpuMayHave(int capability, int links) {
        nvml("-DCAPABILITY=" + capability);
        assertEquals(links, count(ask(1).gpus().getFirst()));
    }

    @Test
    void shouldDoWithoutWhatAnOldLibraryLacks() {
        StandInLibrary nvml = nvml("-DOLD", "-DDOWN=17");
        NvidiaDriver.Answer answer = ask(2);
        assertEquals(List.of(), answer.problems());
        assertEquals(List.of(17, 18), answer.gpus().stream().map(NvmlDriverTest::count).toList());
        assertFalse(nvml.calls().contains("v2"));
    }

    @Test
    void shouldTellTheCapabilityWhereTheLibraryKnowsNoLinks() {
        nvml("-DNO_LINKS");
        NvidiaDriver.Answer answer = ask(2);
        assertEquals(List.of("this version of NVML tells nothing of NVLinks"), answer.problems());
        assertEquals(List.of(90, 90), answer.gpus().stream().map(NvidiaGpu::computeCapability).toList());
    }

    @Test
    void shouldPassOnWhatAVirtualMachineDoesNotSee() {
        nvml("-DINVISIBLE");
        assertEquals(List.of(new NvLink("fffffff:ffff:ff", 18, false)), ask(1).gpus().getFirst().links());
    }

    @Test
    void shouldCountLinksToTheCpu() {
        nvml("-DC2C_LINKS=10");
        NvidiaGpu gpu = ask(1).gpus().getFirst();
        assertEquals(List.of(9, 44712), List.of(gpu.c2cLinks(), gpu.c2cMbps()), "one is down");
    }

    /** As a container does not have all GPUs of its host. */
    @Test
    void shouldLeaveOutGpusThatAreNotGivenToThisProcess() {
        nvml("-DGPUS=2");
        NvidiaDriver.Answer answer = ask(3);
        assertEquals(gpus(2), answer.gpus().stream().map(NvidiaGpu::address).toList());
        assertEquals(List.of(), answer.problems());
    }

    @ParameterizedTest
    @CsvSource({"4, ''", "6, ''",
        "3, 'nvmlDeviceGetHandleByPciBusId_v2 of the GPU at 0000:11:00.0: Unknown Error (3)'"})
    void shouldSayWhyAGpuThatIsGivenToItCannotBeAsked(int status, String problem) {
        StandInLibrary nvml = nvml();
        nvml.fail("handle", status);
        assertEquals(new NvidiaDriver.Answer(List.of(), problem.isEmpty() ? List.of() : List.of(problem),
                problem.isEmpty()), ask(1));
        assertTrue(nvml.calls().endsWith(" shutdown"));
    }

    @Test
    void shouldTellOfTheOthersWhenAGpuIsLost() {
        StandInLibrary nvml = nvml();
        nvml.run("standin_lose");
        NvidiaDriver.Answer answer = ask(3);
        assertEquals(2, answer.gpus().size());
        assertTrue(answer.isFinal(), "what it told of these holds");
        assertEquals(List.of("nvmlDeviceGetCudaComputeCapability of the GPU at 0000:21:00.0: GPU is lost (15)"),
                answer.problems());
        assertTrue(nvml.calls().endsWith(" shutdown"));
    }

    /** A sentence for each GPU, not for each link. */
    @ParameterizedTest
    @CsvSource({"link, nvmlDeviceGetNvLinkCapability, 90", "state, nvmlDeviceGetNvLinkState, 80",
        "remote_v2, nvmlDeviceGetNvLinkRemotePciInfo_v2, 90"})
    void shouldSayWhichCallOfALinkFails(String call, String function, int capability) {
        nvml("-DCAPABILITY=" + capability).fail(call, 999);
        NvidiaDriver.Answer answer = ask(2);
        assertEquals(Stream.of("0000:11:00.0", "0000:21:00.0")
                .map(gpu -> function + " of the GPU at " + gpu + ": Unknown Error (999)").toList(), answer.problems());
        assertEquals(List.of(0, 0), answer.gpus().stream().map(NvmlDriverTest::count).toList());
    }

    /** Fields and the type of the other end are for want of better ones. */
    @ParameterizedTest
    @ValueSource(strings = {"field", "type"})
    void shouldDoWithoutCallsThatAreNotNeeded(String call) {
        nvml().fail(call, 999);
        NvidiaDriver.Answer answer = ask(1);
        assertEquals(List.of(), answer.problems());
        assertEquals(TO_SWITCHES, answer.gpus().getFirst().links());
    }

    @Test
    void shouldSayThatThereIsNoDriver() {
        StandInLibrary nvml = nvml();
        nvml.fail("init", 9);
        assertEquals(new NvidiaDriver.Answer(List.of(), List.of("nvmlInit_v2: Driver Not Loaded (9)"), false), ask(1),
                "it may be loaded later");
        assertEquals("init", nvml.calls(), "what has not begun is not ended");
    }

    @Test
    void shouldNotWaitForEverForADriverThatIsStuck() throws Exception {
        StandInLibrary nvml = nvml();
        nvml.run("standin_block");
        NvmlDriver driver = new NvmlDriver(List.of(folder));
        assertEquals(new NvidiaDriver.Answer(List.of(), List.of("NVML has not answered for 50 ms; does nvidia-smi?"),
                false), driver.ask(gpus(1), Duration.ofMillis(50)));
        assertEquals(new NvidiaDriver.Answer(List.of(), List.of("NVML still does not answer"), false),
                driver.ask(gpus(1), PATIENCE));
        assertEquals("init", nvml.calls(), "it is asked once");
        nvml.run("standin_release");
        NvidiaDriver.Answer answer = driver.ask(gpus(1), PATIENCE);
        for (long end = System.nanoTime() + PATIENCE.toNanos(); answer.gpus().isEmpty();
                answer = driver.ask(gpus(1), PATIENCE)) {
            assertTrue(System.nanoTime() < end, answer::toString);
            Thread.sleep(10);
        }
    }

    @Test
    void shouldNotWaitOnceItIsInterrupted() throws Exception {
        StandInLibrary nvml = nvml();
        nvml.run("standin_block");
        List<Object> seen = new CopyOnWriteArrayList<>();
        Thread asking = Thread.ofPlatform().start(() -> {
            seen.add(ask(1));
            seen.add(Thread.interrupted());
        });
        for (long end = System.nanoTime() + PATIENCE.toNanos(); !nvml.calls().equals("init"); Thread.sleep(1)) {
            assertTrue(System.nanoTime() < end, "it is asked");
        }
        asking.interrupt();
        assertTrue(asking.join(PATIENCE.dividedBy(2)));
        nvml.run("standin_release");
        assertEquals(List.of(new NvidiaDriver.Answer(List.of(), List.of("NVML was not waited for any longer, for the"
                + " thread that asked was interrupted"), false), true), seen);
    }

    @Test
    void shouldAnswerManyThreads() {
        StandInLibrary nvml = nvml();
        List<CompletableFuture<NvidiaDriver.Answer>> answers = IntStream.range(0, 4)
                .mapToObj(any -> CompletableFuture.supplyAsync(() -> ask(8))).toList();
        answers.forEach(answer -> assertEquals(8, answer.join().gpus().size()));
        assertTrue(nvml.calls().endsWith(" shutdown"));
    }

    @Test
    void shouldSayWhyALibraryCannotBeUsed() {
        nvml("-DNO_SHUTDOWN");
        assertEquals(new NvidiaDriver.Answer(List.of(), List.of(folder.resolve("libnvidia-ml.so.1")
                + " without nvmlShutdown: too old, or something else of that name"), true), ask(1));
    }

    @Test
    void shouldSayWhichLibraryIsLookedFor() {
        NvidiaDriver.Answer answer = ask(1);
        assumeTrue(answer.gpus().isEmpty(), "this host has NVML");
        String why = answer.problems().getFirst();
        assertTrue(why.contains("libnvidia-ml.so.1") && why.contains("cuda.library.path does not count"), why);
        assertTrue(answer.isFinal(), "it is looked for once");
    }

    @Test
    void shouldBeFound() {
        assertInstanceOf(NvmlDriver.class, NvidiaDriver.find());
    }

    private StandInLibrary nvml(String... options) {
        return new StandInLibrary(folder, "nvml.c", "libnvidia-ml.so.1", options);
    }

    private NvidiaDriver.Answer ask(int count) {
        return new NvmlDriver(List.of(folder)).ask(gpus(count), PATIENCE);
    }

    private static List<PciAddress> gpus(int count) {
        return IntStream.rangeClosed(1, count).mapToObj(gpu -> new PciAddress(0, gpu << 4 | 1, 0, 0)).toList();
    }

    private static List<String> targets(NvidiaGpu gpu) {
        return gpu.links().stream().map(NvLink::target).toList();
    }

    private static int count(NvidiaGpu gpu) {
        return gpu.links().stream().mapToInt(NvLink::count).sum();
    }
}

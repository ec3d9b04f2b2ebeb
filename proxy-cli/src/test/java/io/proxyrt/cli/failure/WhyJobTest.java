/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.failure;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.bootstrap.BootstrapConfig;
import io.proxyrt.cli.stat.RuntimeChoice;
import io.proxyrt.cli.why.Why;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.testkit.Await;
import io.proxyrt.testkit.ChildJvm;
import io.proxyrt.testkit.Extent;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code proxyrt why} on whole jobs, one rank of which the others wait for. */
@Tag(Extent.SCALED)
class WhyJobTest {
    private static final int RANKS = 3;
    private static final int VICTIM = 2;

    @TempDir
    private Path folder;

    static Stream<Arguments> ways() {
        return Extent.sample(3, Stream.of("SHM", "NET").flatMap(transport -> Stream.of("dedicated", "invoker")
                .map(threading -> Arguments.of(transport, threading))));
    }

    @ParameterizedTest
    @MethodSource("ways")
    void shouldNameTheRankThatDoesNotCallThenIsStoppedThenIsKilled(String transport, String threading)
            throws IOException {
        try (ChildJob job = job(transport, threading)) {
            job.tellAll("reduce 2", "reduced");
            assertNothing();
            job.others(VICTIM).forEach(rank -> rank.tell("reduce 1"));
            await("rank 2 (pid " + pid(job) + ") has not called collective 3, all_reduce of 16384 FLOAT32 SUM; its "
                    + "last call, collective 2, all_reduce of 16384 FLOAT32 SUM, was ");
            job.rank(VICTIM).tell("reduce 1");
            job.others(-1).forEach(rank -> rank.expect("reduced"));
            assertNothing();
            job.run();
            job.rank(VICTIM).signal("STOP");
            await("rank 2 (pid " + pid(job) + ") is stopped, by a signal or a debugger (kill -CONT " + pid(job)
                    + " continues it); rank");
            job.rank(VICTIM).signal("KILL");
            await("rank 2 (pid " + pid(job) + ") is dead: killed, or crashed");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"SHM", "NET"})
    void shouldNameTheRankThatCallsWithAnotherCount(String transport) throws IOException {
        try (ChildJob job = job(transport, "dedicated")) {
            job.others(VICTIM).forEach(rank -> rank.tell("reduce 1"));
            job.rank(VICTIM).tell("half");
            for (ChildJvm rank : job.others(-1)) {
                String line = rank.line();
                assertTrue(line.startsWith("failed INVALID_USAGE "), line);
            }
            await("the ranks disagree: as collective 1 ranks 0 and 1 called all_reduce of 16384 FLOAT32 SUM, and rank "
                    + "2 all_reduce of 8192 FLOAT32 SUM (other count)");
        }
    }

    @Test
    void shouldNameTheRankThatIsLateAgainAndAgain() throws IOException {
        try (ChildJob job = job("SHM", "dedicated")) {
            job.others(VICTIM).forEach(rank -> rank.tell("reduce 160"));
            job.rank(VICTIM).tell("late 160");
            job.others(-1).forEach(rank -> rank.expect("reduced"));
            StringWriter text = new StringWriter();
            assertFalse(why(folder, text), text::toString);
            assertTrue(text.toString().contains("  rank 2 is late: of the last "), text::toString);
        }
    }

    /** Ranks whose files are in two folders see as much of each other as those of two hosts. */
    @ParameterizedTest
    @ValueSource(strings = {"dedicated", "invoker"})
    void shouldAskOtherHosts(String threading) throws IOException {
        Path here = folder.resolve("host0");
        for (Path host : List.of(here, folder.resolve("host1"))) {
            Files.createDirectory(host, PosixFilePermissions.asFileAttribute(
                    PosixFilePermissions.fromString("rwx------")));
        }
        try (ChildJob job = new ChildJob("NET", 4, folder, "threading=" + threading, "coll.transport=NET",
                "directory=" + folder + "/host{node}")) {
            job.join(BootstrapConfig.defaults());
            job.tellAll("reduce 2", "reduced");
            job.others(3).forEach(rank -> rank.tell("reduce 1"));
            String name = "rank 3 (pid " + job.rank(3).pid() + ")";
            await(here, name + " has not called collective 3, all_reduce of 16384 FLOAT32 SUM; its last call, ");
            job.rank(3).tell("reduce 1");
            job.others(-1).forEach(rank -> rank.expect("reduced"));
            job.run();
            job.rank(3).signal("STOP");
            await(here, name + " is stopped, by a signal or a debugger");
            job.rank(2).signal("STOP");
            await(here, "not seen from here, and neither it nor another rank of its host answers");
            assertFalse(leftIn(here).contains("asked"), "a runtime or the command takes it away");
        }
    }

    private static Set<String> leftIn(Path runtimes) throws IOException {
        try (Stream<Path> files = Files.walk(runtimes)) {
            return files.filter(Files::isRegularFile).map(file -> file.getFileName().toString())
                    .collect(Collectors.toSet());
        }
    }

    private ChildJob job(String transport, String threading) throws IOException {
        ChildJob job = new ChildJob(transport, RANKS, folder, "threading=" + threading, "coll.transport=" + transport);
        job.join(BootstrapConfig.defaults());
        return job;
    }

    private static long pid(ChildJob job) {
        return job.rank(VICTIM).pid();
    }

    /** It takes a moment until ranks are known to stand still. */
    private void await(String expected) {
        await(folder, expected);
    }

    private static void await(Path runtimes, String expected) {
        StringWriter text = new StringWriter();
        Await.until(() -> {
            text.getBuffer().setLength(0);
            return why(runtimes, text) && text.toString().contains(expected);
        }, () -> "'" + expected + "' in: " + text);
        assertTrue(List.of(text.toString().split("\n")).getFirst().startsWith("job "), text::toString);
    }

    private void assertNothing() {
        StringWriter text = new StringWriter();
        assertFalse(why(folder, text), text::toString);
    }

    private static boolean why(Path runtimes, StringWriter text) {
        ProxyConfig config = ProxyConfig.builder().environment(Map.of())
                .set(CoreOptions.DIRECTORY, runtimes.toString()).build();
        return new Why(new RuntimeChoice(config, null), new PrintWriter(text), Optional.empty()).print();
    }
}

/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.diagnosis;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.agent.Uninterruptibly;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.counters.ActiveOps;
import io.proxyrt.core.counters.Counters;
import io.proxyrt.core.counters.EventRing;
import io.proxyrt.core.directory.RuntimeDirectory;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.zip.DeflaterOutputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Ranks of one job whose files are in folders of their own, as if they were on hosts of their own. */
class RemoteLookTest {
    private static final long SECOND_NS = 1_000_000_000;

    @TempDir
    private Path base;
    private final List<Host> hosts = new ArrayList<>();
    private final ConcurrentLinkedQueue<Integer> asked = new ConcurrentLinkedQueue<>();
    private final String job = "job " + new Random().nextLong();

    /** A host with one rank. */
    private final class Host implements AutoCloseable {
        private final int rank;
        private final ProxyConfig config;
        private final RuntimeDirectory directory;
        private final Counters counters;

        Host(int rank, int nRanks) throws IOException {
            this.rank = rank;
            Path folder = Files.createDirectory(base.resolve("host" + rank),
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
            config = ProxyConfig.builder().environment(Map.of()).set(CoreOptions.DIRECTORY, folder.toString()).build();
            directory = RuntimeDirectory.create(config, rank);
            counters = Counters.create(directory.counters(), job, rank, nRanks);
            counters.heartbeat(System.currentTimeMillis());
            hosts.add(this);
        }

        /** In the last of so many collectives, in which a kernel waits for another rank unless that is negative. */
        Host called(int last, int awaited) {
            EventRing caller = counters.blackBox().caller("rank " + rank);
            for (int i = 1; i <= last; i++) {
                caller.called(System.nanoTime(), i, 7, 8, EventRing.NO_PEER);
            }
            caller.finished(awaited < 0 ? last : last - 1);
            ActiveOps ops = counters.blackBox().activeOps();
            ops.begin(System.nanoTime());
            if (awaited >= 0) {
                ops.wait(System.nanoTime() - 2 * SECOND_NS, "s: a kernel: waits for step 3 from rank " + awaited
                        + ", channel 0 (NET)");
            }
            ops.end();
            return this;
        }

        Diagnosis diagnosis(RemoteRanks remote) {
            return Diagnosis.ofJobOf(config, directory.path(), CallWords.NONE, remote).orElseThrow();
        }

        Optional<byte[]> tellOf(int rank) {
            return Diagnosis.tellOf(config, directory.path(), rank);
        }

        @Override
        public void close() {
            counters.close();
            directory.close();
        }
    }

    @AfterEach
    void close() {
        hosts.forEach(Host::close);
    }

    private CompletableFuture<byte[]> ask(int rank) {
        asked.add(rank);
        return hosts.stream().map(host -> host.tellOf(rank)).flatMap(Optional::stream).findFirst()
                .map(CompletableFuture::completedFuture).orElseGet(CompletableFuture::new);
    }

    private static void assertFound(Diagnosis found, Reason reason, int culprit, String... texts) {
        assertEquals(reason, found.reason(), found.sentence());
        assertEquals(List.of(culprit), found.culprits(), found.sentence());
        for (String text : texts) {
            assertTrue(found.sentence().contains(text), found.sentence());
        }
    }

    @Test
    void shouldFollowTheWaitingToAnotherHost() throws IOException {
        Host here = new Host(0, 3).called(5, 1);
        new Host(1, 3).called(5, 2);
        new Host(2, 3).called(4, -1);
        assertFound(here.diagnosis(this::ask), Reason.NOT_CALLED, 2, "has not called collective 5",
                "rank 0 waits for rank 1 in turn");
    }

    @Test
    void shouldAskOfManyRanksTheOnesThatOthersWaitFor() throws IOException {
        Host here = new Host(0, 1000).called(5, 500);
        new Host(500, 1000).called(5, 700);
        new Host(700, 1000).called(4, -1);
        assertFound(here.diagnosis(this::ask), Reason.NOT_CALLED, 700);
        assertEquals(List.of(500, 500, 700, 700), List.copyOf(asked));
    }

    @Test
    void shouldAskNoneIfItIsSeenHere() throws IOException {
        Host here = new Host(0, 2).called(0, -1);
        assertEquals(Reason.NONE, here.diagnosis(this::ask).reason());
        assertEquals(List.of(), List.copyOf(asked));
    }

    @Test
    void shouldSayThatAHostDoesNotAnswer() throws IOException {
        Host here = new Host(0, 2).called(5, 1);
        List<CompletableFuture<byte[]>> questions = new ArrayList<>();
        Diagnosis found = here.diagnosis(_ -> {
            questions.add(new CompletableFuture<>());
            return questions.getLast();
        });
        assertFound(found, Reason.NO_ANSWER, 1, "neither it nor another rank of its host answers");
        assertTrue(questions.getFirst().isCancelled(), "none waits for it any more");
    }

    @Test
    void shouldTakeNoAnswerForAnotherOne() throws IOException {
        Host here = new Host(0, 2).called(5, 1);
        JobObservation seen = HostLook.at(RuntimeDirectory.list(here.config), HostLook.SPAN).jobs().getFirst();
        byte[] own = here.tellOf(0).orElseThrow();
        for (byte[] answer : List.of(own, new byte[0], new byte[100], Arrays.copyOf(own, own.length / 2))) {
            assertFound(RemoteLook.goOn(seen, CallWords.NONE,
                    ranks -> Optional.of(RemoteAnswers.ask(_ -> CompletableFuture.completedFuture(answer), ranks))),
                    Reason.NOT_SEEN, 1);
        }
    }

    @Test
    void shouldNotSaySoOfRanksThatCannotBeAsked() throws IOException {
        assertFound(new Host(0, 2).called(5, 1).diagnosis(RemoteRanks.NONE), Reason.NOT_SEEN, 1);
    }

    @Test
    void shouldWaitForAnswersThoughItsThreadIsInterrupted() throws IOException {
        Host here = new Host(0, 2).called(5, 1);
        new Host(1, 2).called(4, -1);
        Thread.currentThread().interrupt();
        Diagnosis found = here.diagnosis(rank -> CompletableFuture.supplyAsync(() -> ask(rank),
                CompletableFuture.delayedExecutor(50, TimeUnit.MILLISECONDS)).thenCompose(answer -> answer));
        assertTrue(Thread.interrupted());
        assertFound(found, Reason.NOT_CALLED, 1);
    }

    /** Also once another command's question is out of the way, here one that was killed. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldAskARuntimeOfThisHostForACommand(boolean isAnotherThere) throws Exception {
        Host here = new Host(0, 2).called(5, 1);
        new Host(1, 2).called(4, -1);
        List<RuntimeDirectory.Entry> runtimes = RuntimeDirectory.list(here.config);
        JobObservation seen = HostLook.at(runtimes, HostLook.SPAN).jobs().getFirst();
        Path folder = here.directory.path();
        Files.write(folder.resolve("told"), new byte[100]);
        if (isAnotherThere) {
            leaveQuestion(folder);
        }
        try (Mailbox mailbox = new Mailbox(0, 2, here.directory, this::ask)) {
            AtomicBoolean isOver = new AtomicBoolean();
            Thread service = Thread.ofPlatform().start(() -> {
                while (!isOver.get()) {
                    mailbox.look();
                    Uninterruptibly.parkNanos(1_000_000);
                }
            });
            assertFound(Diagnosis.ofAll(seen, CallWords.NONE, runtimes), Reason.NOT_CALLED, 1);
            isOver.set(true);
            service.join();
        }
        assertEquals(List.of(1, 1), List.copyOf(asked));
        assertFalse(Files.exists(folder.resolve("asked")));
        assertFalse(Files.exists(folder.resolve("told")));
    }

    /** A minute old, and not whole. */
    private static void leaveQuestion(Path folder) throws IOException {
        Path question = Files.write(folder.resolve("asked"), new byte[30]);
        Files.setPosixFilePermissions(question, PosixFilePermissions.fromString("rw-------"));
        Files.setLastModifiedTime(question, FileTime.from(Instant.now().minusSeconds(60)));
    }

    @Test
    void shouldNotSeeRanksIfNoRuntimeAnswers() throws IOException {
        Host here = new Host(0, 2).called(5, 1);
        List<RuntimeDirectory.Entry> runtimes = RuntimeDirectory.list(here.config);
        JobObservation seen = HostLook.at(runtimes, HostLook.SPAN).jobs().getFirst();
        assertFound(Diagnosis.ofAll(seen, CallWords.NONE, runtimes), Reason.NOT_SEEN, 1);
        assertFalse(Files.exists(here.directory.path().resolve("asked")));
    }

    @Test
    void shouldDropWhatIsNoQuestionAfterAWhile() throws IOException {
        Host here = new Host(0, 2);
        Path question = Files.write(here.directory.path().resolve("asked"), new byte[30]);
        Files.setPosixFilePermissions(question, PosixFilePermissions.fromString("rw-------"));
        try (Mailbox mailbox = new Mailbox(0, 2, here.directory, this::ask)) {
            mailbox.look();
            assertTrue(Files.exists(question), "it may be about to be written");
            Files.setLastModifiedTime(question, FileTime.from(Instant.now().minusSeconds(60)));
            mailbox.look();
            assertFalse(Files.exists(question));
        }
    }

    @Test
    void shouldTellOfItsOwnAndOfOtherRanksOfItsHost() throws IOException {
        Host here = new Host(0, 3);
        try (RuntimeDirectory other = RuntimeDirectory.create(here.config, 1);
                Counters ofOther = Counters.create(other.counters(), job, 1, 3);
                RuntimeDirectory another = RuntimeDirectory.create(here.config, 2);
                Counters ofAnother = Counters.create(another.counters(), "another job", 2, 3)) {
            ofOther.heartbeat(1234);
            ofAnother.heartbeat(1234);
            RuntimeImage image = RuntimeImage.decode(here.tellOf(1).orElseThrow());
            assertEquals(1, image.rank());
            assertEquals(ProcessHandle.current().pid(), image.pid());
            assertTrue(image.isAlive());
            assertEquals(1234, RuntimeLook.of(image).heartbeatMs());
            assertEquals(0, RuntimeImage.decode(here.tellOf(0).orElseThrow()).rank());
            assertEquals(Optional.empty(), here.tellOf(2));
        }
    }

    @Test
    void shouldKeepAllThatAnImageHas() throws IOException {
        RuntimeImage image = RuntimeImage.decode(new Host(3, 4).called(9, 1).tellOf(3).orElseThrow());
        RuntimeImage again = RuntimeImage.decode(image.encode());
        assertArrayEquals(image.counters(), again.counters());
        assertEquals(image.process(), again.process());
        assertTrue(image.process().orElseThrow().threads().size() > 1);
        assertEquals(image.time(), again.time());
        assertEquals(image.lanes(), again.lanes());
    }

    @Test
    void shouldRefuseWhatIsNoImage() throws IOException {
        byte[] image = new Host(3, 4).called(9, 1).tellOf(3).orElseThrow();
        Random random = new Random(27);
        for (int i = 0; i < 300; i++) {
            byte[] broken = Arrays.copyOf(image, i % 3 == 0 ? random.nextInt(image.length) : image.length);
            for (int j = random.nextInt(5); j >= 0 && broken.length > 0; j--) {
                broken[random.nextInt(broken.length)] ^= (byte) (1 << random.nextInt(8));
            }
            look(broken);
        }
        ByteArrayOutputStream bomb = new ByteArrayOutputStream();
        try (DeflaterOutputStream out = new DeflaterOutputStream(bomb)) {
            out.write(new byte[64 << 20]);
        }
        assertEquals(ProxyResult.REMOTE_ERROR, assertThrows(ProxyException.class,
                () -> RuntimeImage.decode(bomb.toByteArray())).result());
    }

    /** Damage behind the compression, too: nothing but a ProxyException may come of it. */
    @Test
    void shouldBelieveNothingThatAnImageHolds() throws IOException {
        RuntimeImage image = RuntimeImage.decode(new Host(3, 4).called(9, 1).tellOf(3).orElseThrow());
        Random random = new Random(28);
        for (int i = 0; i < 300; i++) {
            byte[] counters = Arrays.copyOf(image.counters(), i % 5 == 0 ? random.nextInt(image.counters().length)
                    : image.counters().length);
            for (int j = random.nextInt(20); j >= 0 && counters.length > 0; j--) {
                counters[random.nextInt(Math.min(counters.length, 1 << (3 + random.nextInt(15))))] =
                        (byte) random.nextInt();
            }
            look(new RuntimeImage(image.time(), 3, 1, true, image.process(), image.lanes(), counters).encode());
        }
    }

    private static void look(byte[] image) {
        try {
            RuntimeLook look = RuntimeLook.of(RuntimeImage.decode(image));
            Diagnosis.of(new JobObservation("a job", 4, List.of(look.since(look)), Instant.now(), HostLook.SPAN),
                    CallWords.NONE);
        } catch (ProxyException e) {
            assertTrue(e.result() != ProxyResult.SUCCESS);
        }
    }
}

/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.failure;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.bootstrap.BootstrapConfig;
import io.proxyrt.cli.stat.RuntimeChoice;
import io.proxyrt.collectives.kernel.OpCallWords;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.diagnosis.Diagnosis;
import io.proxyrt.core.diagnosis.HostLook;
import io.proxyrt.core.diagnosis.Reason;
import io.proxyrt.testkit.Await;
import io.proxyrt.testkit.ChildJvm;
import io.proxyrt.testkit.Extent;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Job after job, ranks of which come to harm in ways that a seed chooses: what {@code proxyrt why} says of each, asked
 * a second after the fault, and that nothing hangs. An answer that is right only later is printed: what a busy machine
 * takes is no failure. With {@code -Dtests=long} there are two hundred faults and more.
 */
@Tag(Extent.SCALED)
class FaultCampaignTest {
    private static final long SEED = 27;
    private static final int JOBS = 6;
    private static final Duration UNTIL_ASKED = Duration.ofSeconds(1);

    @TempDir
    private Path folder;
    private int faults;
    private final List<String> misses = new ArrayList<>();

    @Test
    void shouldNameTheRankAndWhatItOwes() throws Exception {
        int jobs = Extent.count(JOBS);
        for (int job = 0; job < jobs; job++) {
            run(SEED + job);
        }
        System.out.printf(Locale.ROOT, "FaultCampaignTest: %d faults, %d named a second after, seeds %d to %d%n",
                faults, faults - misses.size(), SEED, SEED + jobs - 1);
        misses.forEach(miss -> System.out.println("FaultCampaignTest: late: " + miss));
    }

    private void run(long seed) throws Exception {
        Random random = new Random(seed);
        int nRanks = 3 + random.nextInt(2);
        String transport = random.nextBoolean() ? "SHM" : "NET";
        boolean isInvoker = random.nextBoolean();
        Path runtimes = folder.resolve("job-" + seed);
        List<InjectedFault> passing = new ArrayList<>(InjectedFault.those(true));
        if (!isInvoker) {
            passing.remove(InjectedFault.NOT_DRIVEN);
        }
        Collections.shuffle(passing, random);
        List<InjectedFault> last = InjectedFault.those(false);
        try (ChildJob job = new ChildJob(transport, nRanks, runtimes, "coll.transport=" + transport,
                "coll.timeout=5m", "coll.silence.timeout=5m", "peer.silence.timeout=5m",
                "threading=" + (isInvoker ? "invoker" : "dedicated"))) {
            job.join(BootstrapConfig.defaults());
            job.tellAll("reduce 2", "reduced");
            for (InjectedFault fault : passing) {
                injectAndMend(job, fault, random.nextInt(nRanks), new Question(seed, transport, isInvoker, runtimes));
            }
            inject(job, last.get(random.nextInt(last.size())), 1 + random.nextInt(nRanks - 1),
                    new Question(seed, transport, isInvoker, runtimes));
        }
    }

    private void injectAndMend(ChildJob job, InjectedFault fault, int victim, Question question) throws Exception {
        ChildJvm rank = job.rank(victim);
        switch (fault) {
            case NOT_CALLED -> {
                reduce(job.others(victim));
                ask(fault, victim, question);
                reduce(List.of(rank));
            }
            case NOT_DRIVEN -> {
                rank.tell("call");
                rank.expect("called");
                reduce(job.others(victim));
                ask(fault, victim, question);
                rank.tell("synchronize");
                rank.expect("synchronized");
                job.others(victim).forEach(other -> other.expect("reduced"));
                return;
            }
            default -> {
                rank.signal("STOP");
                reduce(job.others(-1));
                ask(fault, victim, question);
                rank.signal("CONT");
            }
        }
        job.others(-1).forEach(any -> any.expect("reduced"));
    }

    private static void reduce(List<ChildJvm> ranks) {
        ranks.forEach(rank -> rank.tell("reduce 1"));
    }

    /** The last of a job. */
    private void inject(ChildJob job, InjectedFault fault, int victim, Question question) throws Exception {
        switch (fault) {
            case STOPPED_AT_WORK -> {
                job.run();
                job.rank(victim).signal("STOP");
                ask(fault, victim, question);
                job.rank(victim).signal("KILL");
                assertFail(job.others(victim), "rank " + victim);
            }
            case KILLED_AT_WORK -> {
                job.run();
                job.rank(victim).signal("KILL");
                ask(fault, victim, question);
                assertFail(job.others(victim), "rank " + victim);
            }
            default -> {
                job.others(victim).forEach(rank -> rank.tell(fault.callOfOthers()));
                job.rank(victim).tell(fault.call());
                ask(fault, victim, question);
                // The root of a broadcast may have done its part.
                List<String> lines = job.others(-1).stream().map(ChildJvm::line).toList();
                assertTrue(lines.stream().anyMatch(line -> line != null && line.startsWith("failed INVALID_USAGE ")),
                        lines::toString);
            }
        }
    }

    private static void assertFail(List<ChildJvm> survivors, String what) {
        for (ChildJvm survivor : survivors) {
            String line = survivor.line();
            assertTrue(line != null && line.startsWith("failed ") && line.contains(what), line);
        }
    }

    /** Which job is asked about. */
    private record Question(long seed, String transport, boolean isInvoker, Path runtimes) {
        List<Diagnosis> answer() {
            ProxyConfig config = ProxyConfig.builder().environment(Map.of())
                    .set(CoreOptions.DIRECTORY, runtimes.toString()).build();
            return HostLook.at(new RuntimeChoice(config, null).jobs(), HostLook.SPAN).jobs().stream()
                    .map(job -> Diagnosis.of(job, new OpCallWords())).toList();
        }
    }

    private void ask(InjectedFault fault, int victim, Question question) throws InterruptedException {
        TimeUnit.NANOSECONDS.sleep(UNTIL_ASKED.toNanos());
        faults++;
        List<Diagnosis> first = question.answer();
        if (isRight(first, fault.reason(), victim)) {
            return;
        }
        misses.add(fault + " of rank " + victim + ", " + question + ": "
                + first.stream().map(found -> found.reason() + " " + found.sentence()).toList());
        Await.until(() -> isRight(question.answer(), fault.reason(), victim), () -> misses.getLast());
    }

    private static boolean isRight(List<Diagnosis> found, Reason reason, int victim) {
        return found.size() == 1 && found.getFirst().reason() == reason
                && found.getFirst().culprits().equals(List.of(victim));
    }
}

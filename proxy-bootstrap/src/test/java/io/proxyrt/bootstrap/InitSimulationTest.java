/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bootstrap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.bootstrap.InitSimulation.Accident;
import io.proxyrt.bootstrap.InitSimulation.Exchange;
import io.proxyrt.bootstrap.InitSimulation.Fault;
import io.proxyrt.bootstrap.InitSimulation.Plan;
import io.proxyrt.bootstrap.InitSimulation.Result;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class InitSimulationTest {
    /** Joining, five all-gathers, messages and a barrier. */
    private static final int STEPS = 8;

    @ParameterizedTest
    @ValueSource(ints = {2, 3, 17, 511, 512, 1500})
    void shouldHaveAllRanksMeetAndPart(int nRanks) {
        final Result result = InitSimulation.run(Plan.of(nRanks));

        assertTrue(result.initNs() > 0 && result.closeNs() >= 0, result::toString);
        assertEquals(0, result.failures(), result::failure);
        assertEquals(STEPS, result.stepNs().size());
        assertEquals(result.stepNs().stream().sorted().toList(), result.stepNs());
        assertEquals(nRanks, result.root().links(), "a connection of the root's for each rank, and none more");
    }

    @Test
    void shouldGiveTheSameEachTime() {
        final Plan plan = Plan.of(600);

        final Result first = InitSimulation.run(plan);

        final Result second = InitSimulation.run(plan);
        assertEquals(first.initNs(), second.initNs());
        assertEquals(first.stepNs(), second.stepNs());
        assertEquals(first.root(), second.root());
        assertEquals(first.events(), second.events());
    }

    /** Two ranks of two hosts: what each message takes can be counted. */
    @Test
    void shouldTakeTheTimeOfItsMessages() {
        final long latencyNs = TimeUnit.MILLISECONDS.toNanos(1);
        final Result result = InitSimulation.run(new Plan(2, 1, new NetworkModel(latencyNs, 0, 1L << 40, 0),
                new Exchange(List.of(8), 0, 0), Duration.ofMinutes(1), Accident.NONE));

        // Dial and answer, hello and challenge, proof and welcome; ready comes right behind.
        assertEquals(6 * latencyNs, result.stepNs().get(0), latencyNs / 100.0);
        assertEquals(8 * latencyNs, result.stepNs().get(1), latencyNs / 100.0);
        assertEquals(10 * latencyNs, result.initNs(), latencyNs / 100.0);
    }

    @Test
    void shouldTakeTheTimeOfItsBytes() {
        final int bytes = 4000;
        final long perSecond = 1_000_000;
        final Result result = InitSimulation.run(new Plan(2, 1, new NetworkModel(0, 0, perSecond, 0),
                new Exchange(List.of(bytes), 0, 0), Duration.ofMinutes(1), Accident.NONE));

        // One blob to the root, and both back; the rank at the root's host does not take the adapter.
        final long leastNs = TimeUnit.SECONDS.toNanos(3L * bytes) / perSecond;
        final long took = result.stepNs().get(1) - result.stepNs().get(0);
        assertTrue(took >= leastNs && took < leastNs * 11 / 10, () -> took + " ns, at least " + leastNs);
    }

    private static Plan plan(Duration timeout, Fault fault, int rank, Duration after) {
        return new Plan(700, 8, NetworkModel.defaults(), Exchange.OF_COMMUNICATOR, timeout,
                new Accident(fault, rank, after));
    }

    @Test
    void shouldNameARankThatDoesNotCome() {
        final Result result = InitSimulation.run(plan(Duration.ofSeconds(5), Fault.ABSENT, 77, Duration.ZERO));

        assertAllSay(result, 699, "rank 77 of 700 did not join within 5");
        assertTrue(result.failedNs() < TimeUnit.SECONDS.toNanos(6), result::toString);
    }

    /** Both ways, and what it takes to join, while ranks wait for one for half a minute. */
    @ParameterizedTest
    @ValueSource(ints = {3, 12, 700})
    void shouldSendAHeartbeatASecondHoweverManyRanksThereAre(int nRanks) {
        final int seconds = 30;
        final Result result = InitSimulation.run(new Plan(nRanks, 8, NetworkModel.defaults(), Exchange.OF_COMMUNICATOR,
                Duration.ofSeconds(seconds), new Accident(Fault.ABSENT, 1, Duration.ZERO)));

        final double ofRank = (double) result.root().messages() / (nRanks - 1);
        assertTrue(ofRank > 2 * seconds - 2 && ofRank < 2 * seconds + 15, () -> ofRank + " frames for each rank");
    }

    @ParameterizedTest
    @ValueSource(ints = {5, 30, 60, 75, 95})
    void shouldNameARankThatDiesWheneverItDoes(int afterMillis) {
        final Result result = InitSimulation.run(plan(Duration.ofSeconds(20), Fault.KILLED, 3,
                Duration.ofMillis(afterMillis)));

        assertEquals(699, result.failures(), result::toString);
        assertTrue(result.failure().contains("rank 3"), result::failure);
        assertEquals(699, result.alike());
    }

    @Test
    void shouldNameARankThatIsStopped() {
        final Result result = InitSimulation.run(plan(Duration.ofMinutes(2), Fault.STOPPED, 3,
                Duration.ofMillis(60)));

        assertAllSay(result, 699, "rank 3 (pid ");
        assertTrue(result.failure().contains("silent for 30 s"), result::failure);
        assertTrue(result.failedNs() < TimeUnit.SECONDS.toNanos(35), result::toString);
    }

    private static void assertAllSay(Result result, int ranks, String what) {
        assertEquals(ranks, result.failures(), result::toString);
        assertEquals(ranks, result.alike(), result::failure);
        assertTrue(result.failure().contains(what), result::failure);
    }

    /** The root may take as long again for twice the ranks, but no longer: nothing in it goes by pairs of ranks. */
    @Test
    void shouldGrowNoFasterThanTheRanks() {
        final long some = InitSimulation.run(Plan.of(1024)).root().messages();
        final long more = InitSimulation.run(Plan.of(2048)).root().messages();

        assertTrue(more < some * 21 / 10, () -> some + " and " + more + " messages");
    }

    @Tag("full")
    @Test
    void shouldHaveTenThousandRanksMeet() {
        final Result result = InitSimulation.run(Plan.of(10_000));

        assertTrue(result.initNs() > 0 && result.initNs() < TimeUnit.SECONDS.toNanos(10), result::toString);
        assertTrue(result.closeNs() >= 0 && result.closeNs() < TimeUnit.SECONDS.toNanos(2), result::toString);
    }

    @ParameterizedTest
    @EnumSource(Fault.class)
    void shouldRefuseAFaultOfNoRank(Fault fault) {
        final ProxyException e = Jobs.assertFails(ProxyResult.INVALID_ARGUMENT,
                () -> plan(Duration.ZERO, fault, 700, Duration.ZERO), "the faulty rank must be one of 700");
        assertEquals(ProxyResult.INVALID_ARGUMENT, e.result());
    }

    @Test
    void shouldRefuseANetworkThatIsNone() {
        Jobs.assertFails(ProxyResult.INVALID_ARGUMENT, () -> new NetworkModel(-1, 0, 1000, 0), "a network of -1");
        Jobs.assertFails(ProxyResult.INVALID_ARGUMENT, () -> new NetworkModel(0, 0, 0, 0), "0 bytes a second");
    }
}

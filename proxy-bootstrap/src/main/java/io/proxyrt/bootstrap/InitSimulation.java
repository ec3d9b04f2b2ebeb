/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bootstrap;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.auth.Refusals;
import io.proxyrt.core.config.ProxyConfig;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.LongSummaryStatistics;
import java.util.function.ToLongFunction;

/**
 * How a job of many ranks meets, on virtual time: root and ranks are those of real jobs, down to the frames and the
 * proofs, and only sockets, clock and threads are simulated. Each rank joins, gathers what communicators do, tells its
 * two neighbours in the ring how to connect, passes a barrier, and leaves when all have. The same plan has the same
 * result, with the same options of the bootstrap in the environment.
 *
 * <p>Stands for no real network: a host has one adapter, nothing is lost, and a thread's time goes by the frame.
 */
public final class InitSimulation {
    private static final InetSocketAddress ANY = new InetSocketAddress(0);
    private static final int BACKLOG = 4096;

    private final Plan plan;
    private final VirtualNetwork network;
    private final VirtualPoller root;
    private final UniqueId id;
    private final List<SimulatedRank> ranks = new ArrayList<>();
    private final List<Long> stepNs = new ArrayList<>();
    private final ProxyConfig settings = ProxyConfig.builder().build();
    private final Credential credential;
    private int finished;
    private int ended;
    private long initNs = -1;

    private InitSimulation(Plan plan) {
        this.plan = plan;
        this.network = new VirtualNetwork(plan.network());
        this.root = new VirtualPoller(network, network.host(0));
        final UniqueId random = UniqueId.random(ANY);
        this.credential = Credential.of(random, settings);
        final Poller.Listener listener = root.listen(root.host().nextPort(), BACKLOG);
        this.id = random.at(listener.address());
        final BootstrapConfig config = BootstrapConfig.defaults().forRanks(plan.nRanks());
        final RootAgent agent = new RootAgent(root, listener, RootAgent.name(id.address()), credential,
                new Job(plan.nRanks(), config, BootstrapRoot.fan(plan.nRanks())), config,
                new Refusals(BootstrapRoot.LOG, "closed a connection from"));
        root.start(agent::turn);
    }

    /** What may happen to a rank, at some time after the beginning. */
    public enum Fault {
        /** It does not come at all. */
        ABSENT,
        /** Its process ends. */
        KILLED,
        /** Its process does nothing any more, but does not end. */
        STOPPED
    }

    /**
     * A rank to which something happens.
     *
     * @param fault what; null if nothing happens to any
     * @param rank  to which
     * @param after the beginning
     */
    public record Accident(Fault fault, int rank, Duration after) {
        /** None. */
        public static final Accident NONE = new Accident(null, -1, Duration.ZERO);
    }

    /**
     * What the ranks tell each other when all have joined.
     *
     * @param gatherBytes  of a rank in each all-gather, one after the other; 0 to 4096
     * @param messages     how many each neighbour in the ring is sent behind that; 0 to 1,000
     * @param messageBytes of each; 0 to 4096
     */
    public record Exchange(List<Integer> gatherBytes, int messages, int messageBytes) {
        /** What a communicator over sockets has its ranks exchange, with one ring. */
        public static final Exchange OF_COMMUNICATOR = new Exchange(List.of(13, 160, 40, 1, 1), 3, 200);
        private static final int MAX_BYTES = 4096;
        private static final int MAX_MESSAGES = 1000;

        /**
         * Checks the numbers.
         *
         * @throws ProxyException {@link ProxyResult#INVALID_ARGUMENT} if one is out of its range
         */
        public Exchange {
            gatherBytes = List.copyOf(gatherBytes);
            check(gatherBytes.stream().allMatch(bytes -> bytes >= 0 && bytes <= MAX_BYTES),
                    "gatherBytes must be within 0 to 4096");
            check(messages >= 0 && messages <= MAX_MESSAGES, "messages must be within 0 to 1000");
            check(messageBytes >= 0 && messageBytes <= MAX_BYTES, "messageBytes must be within 0 to 4096");
        }
    }

    /**
     * What is simulated.
     *
     * @param nRanks       2 to a million
     * @param ranksPerHost how many share a host and its adapter; at least 1
     * @param network      what messages take
     * @param exchange     what the ranks tell each other
     * @param timeout      of joining, and of each all-gather and barrier
     * @param accident     what happens to one of them
     */
    public record Plan(int nRanks, int ranksPerHost, NetworkModel network, Exchange exchange, Duration timeout,
            Accident accident) {
        private static final int MAX_RANKS = 1_000_000;

        /**
         * Checks the numbers.
         *
         * @throws ProxyException {@link ProxyResult#INVALID_ARGUMENT} if one is out of its range
         */
        public Plan {
            check(nRanks >= 2 && nRanks <= MAX_RANKS, "nRanks must be within 2 to a million");
            check(ranksPerHost >= 1, "ranksPerHost must be positive");
            check(accident.fault() == null || accident.rank() >= 0 && accident.rank() < nRanks,
                    "the faulty rank must be one of " + nRanks);
            Deadline.nanos(accident.after());
            Deadline.nanos(timeout);
        }

        /**
         * What a communicator's ranks do on the usual network, eight to a host, within two minutes.
         *
         * @param nRanks as above
         * @return a plan in which nothing goes wrong
         */
        public static Plan of(int nRanks) {
            return new Plan(nRanks, 8, NetworkModel.defaults(), Exchange.OF_COMMUNICATOR, Duration.ofMinutes(2),
                    Accident.NONE);
        }
    }

    private static void check(boolean isRight, String what) {
        if (!isRight) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, what);
        }
    }

    /**
     * What a process sent and received, and how many connections it had at once.
     *
     * @param messages both ways
     * @param bytesIn  received
     * @param bytesOut sent
     * @param links    the most connections at once
     */
    public record Traffic(long messages, long bytesIn, long bytesOut, int links) {
    }

    /**
     * What has come of it.
     *
     * @param initNs   until the last rank was through; -1 if not all were
     * @param closeNs  from then until the last connection was gone; -1 if not all were
     * @param stepNs   when the last rank was through with each step: joining, all-gathers, messages, barrier
     * @param root     what the root's thread had to do
     * @param mean     what a rank had to do
     * @param most     the most that any rank had to do, each number by itself
     * @param failures how many ranks failed, without the faulty one
     * @param failure  what the first of them said; empty if none did
     * @param alike    how many said the same
     * @param failedNs when the last of them knew; -1 if none failed
     * @param events   how many things happened
     */
    public record Result(long initNs, long closeNs, List<Long> stepNs, Traffic root, Traffic mean, Traffic most,
            int failures, String failure, int alike, long failedNs, long events) {
        /** Copies the list. */
        public Result {
            stepNs = List.copyOf(stepNs);
        }
    }

    /**
     * Simulates a job. Blocks until it has met and parted, or has failed: seconds for thousands of ranks, minutes for
     * a hundred thousand, which take some gigabytes of heap.
     *
     * @param plan what to simulate
     * @return what has come of it
     */
    public static Result run(Plan plan) {
        return new InitSimulation(plan).run();
    }

    private Result run() {
        for (int rank = 0; rank < plan.nRanks(); rank++) {
            ranks.add(new SimulatedRank(this, rank));
        }
        for (final SimulatedRank rank : ranks) {
            if (plan.accident().fault() != Fault.ABSENT || !isFaulty(rank)) {
                rank.start();
            }
        }
        if (plan.accident().fault() != null && plan.accident().fault() != Fault.ABSENT) {
            network.at(Deadline.nanos(plan.accident().after()), this::fail);
        }
        while (!isOver() && network.step()) {
            assert network.nowNs() >= 0;
        }
        return result();
    }

    private boolean isFaulty(SimulatedRank rank) {
        return plan.accident().fault() != null && rank.rank() == plan.accident().rank();
    }

    private void fail() {
        final VirtualPoller poller = ranks.get(plan.accident().rank()).poller();
        if (plan.accident().fault() == Fault.KILLED) {
            poller.kill();
        } else {
            poller.stop();
        }
    }

    private boolean isOver() {
        return ended == plan.nRanks() - (plan.accident().fault() == null ? 0 : 1);
    }

    Plan plan() {
        return plan;
    }

    VirtualNetwork network() {
        return network;
    }

    UniqueId id() {
        return id;
    }

    /** What such a rank says of itself. */
    Claim claim(int rank) {
        return new Claim(credential, rank, plan.nRanks(), LinkTerms.NONE);
    }

    /** How long it waits before it dials, as the options of this process say. */
    long staggerNs(int rank) {
        return BootstrapOptions.staggerNs(rank, plan.nRanks(), settings);
    }

    /** A rank is through with a step. */
    void passed(int step, long atNs) {
        while (stepNs.size() <= step) {
            stepNs.add(0L);
        }
        stepNs.set(step, Math.max(stepNs.get(step), atNs));
    }

    /** A rank is through with all of it. */
    void finished() {
        finished++;
        if (finished == plan.nRanks()) {
            initNs = stepNs.getLast();
            ranks.forEach(SimulatedRank::close);
        }
    }

    /** A rank's thread has ended, or the rank has failed. */
    void ended() {
        ended++;
    }

    private Result result() {
        final List<SimulatedRank> failed = ranks.stream().filter(rank -> rank.failure() != null && !isFaulty(rank))
                .toList();
        final String text = failed.isEmpty() ? "" : failed.getFirst().failure();
        return new Result(initNs, initNs < 0 || !failed.isEmpty() ? -1 : network.nowNs() - initNs, stepNs,
                traffic(root),
                new Traffic((long) stream(VirtualPoller::frames).getAverage(),
                        (long) stream(VirtualPoller::bytesIn).getAverage(),
                        (long) stream(VirtualPoller::bytesOut).getAverage(),
                        (int) Math.round(stream(VirtualPoller::mostLinks).getAverage())),
                new Traffic(stream(VirtualPoller::frames).getMax(), stream(VirtualPoller::bytesIn).getMax(),
                        stream(VirtualPoller::bytesOut).getMax(), (int) stream(VirtualPoller::mostLinks).getMax()),
                failed.size(), text, (int) failed.stream().filter(rank -> rank.failure().equals(text)).count(),
                failed.stream().mapToLong(SimulatedRank::failedNs).max().orElse(-1), network.events());
    }

    private static Traffic traffic(VirtualPoller poller) {
        return new Traffic(poller.frames(), poller.bytesIn(), poller.bytesOut(), poller.mostLinks());
    }

    private LongSummaryStatistics stream(ToLongFunction<VirtualPoller> of) {
        return ranks.stream().map(SimulatedRank::poller).mapToLong(of).summaryStatistics();
    }
}

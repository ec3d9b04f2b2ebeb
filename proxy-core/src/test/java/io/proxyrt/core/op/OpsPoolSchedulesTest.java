/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.op;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.OpsPoolKind;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.op.Schedules.Actor;
import io.proxyrt.core.platform.Futex;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Posting, fetching, sleeping and dying in every order, with the real posters, fetchers and doorbell: no op is lost,
 * doubled, torn or delivered early, and the consumer does not sleep while there is work. Steps follow one another here;
 * what may happen to stores and loads inside a processor is for the stress tests.
 *
 * <pre>mvn -pl proxy-core test -Dtest=OpsPoolSchedulesTest</pre>
 */
class OpsPoolSchedulesTest {
    private final MemorySegment memory = Arena.ofAuto().allocate(8192, 128);

    @ParameterizedTest
    @EnumSource(names = {"LANES", "MPSC"})
    void shouldNeverSleepWhileSomethingIsPosted(OpsPoolKind kind) {
        assertTrue(explore(() -> new Pool(kind, 8, 1, true).post(0, 1).post(0, 1).post(0, 1)) > 500);
    }

    @ParameterizedTest
    @EnumSource(names = {"LANES", "MPSC"})
    void shouldKeepBatchesAndPostersApart(OpsPoolKind kind) {
        assertTrue(explore(() -> new Pool(kind, 8, 2, true).post(0, 2).post(1, 2)) > 500);
    }

    @ParameterizedTest
    @EnumSource(names = {"LANES", "MPSC"})
    void shouldUseASlotAgainOnlyWhenItsOpHasEnded(OpsPoolKind kind) {
        assertTrue(explore(() -> new Pool(kind, 2, 1, true).post(0, 2).post(0, 1).post(0, 2)) > 500);
    }

    @ParameterizedTest
    @EnumSource(names = {"LANES", "MPSC"})
    void shouldHearACommandToo(OpsPoolKind kind) {
        assertTrue(explore(() -> new Pool(kind, 8, 1, true).post(0, 1).command()) > 500);
    }

    @ParameterizedTest
    @EnumSource(names = {"LANES", "MPSC"})
    void shouldSurviveTheDeathOfAPosterAtAnyMoment(OpsPoolKind kind) {
        assertTrue(explore(() -> new Pool(kind, 8, 1, true).killable(0).post(0, 2).post(0, 1)) > 500);
    }

    /** So that the tests above are known to find what they look for. */
    @ParameterizedTest
    @EnumSource(names = {"LANES", "MPSC"})
    void shouldFindTheWakeUpLostByAConsumerThatDoesNotLookAgain(OpsPoolKind kind) {
        AssertionError lost = assertThrows(AssertionError.class,
                () -> new Schedules(() -> new Pool(kind, 8, 1, false).post(0, 1).post(0, 1)).explore());
        assertTrue(lost.getCause().getMessage().contains("asleep with"), lost.getCause().getMessage());
    }

    private static long explore(Supplier<Schedules.World> worlds) {
        return new Schedules(worlds).explore();
    }

    /** A pool, its posters, and a consumer that fetches and sleeps as the progress agent does. */
    private final class Pool implements Schedules.World {
        private final List<Actor> actors = new ArrayList<>();
        private final Actor consumer = new Actor("consumer");
        private final Map<Integer, Actor> posterActors = new HashMap<>();
        private final Map<Integer, OpsPoster> posters = new HashMap<>();
        private final boolean looksAgain;
        private final int capacity;
        private final OpsPool pool;
        private final OpsFetcher fetcher;
        private final int[] appended;
        private final int[] posted;
        private final int[] seen;
        private boolean isAsleep;
        private boolean isAnyKilled;
        private int commands;
        private Runnable ring;

        Pool(OpsPoolKind kind, int capacity, int nPosters, boolean looksAgain) {
            this.looksAgain = looksAgain;
            this.capacity = capacity;
            ProxyConfig config = ProxyConfig.builder().environment(Map.of()).set(CoreOptions.OPS_POOL, kind)
                    .set(CoreOptions.LANES, nPosters).set(CoreOptions.LANE_CAPACITY, capacity).build();
            MemorySegment used = memory.asSlice(0, OpsPool.bytes(config)).fill((byte) 0);
            pool = OpsPool.create(used, () -> { }, 0, config, new SteppedDoorbell(used));
            fetcher = pool.fetcher();
            appended = new int[nPosters];
            posted = new int[nPosters];
            seen = new int[nPosters];
            for (int i = 0; i < nPosters; i++) {
                Actor actor = new Actor("poster " + i);
                actors.add(actor);
                posterActors.put(i, actor);
                posters.put(i, pool.poster());
            }
            actors.add(consumer);
            fetchNext();
        }

        /** Appends a number of ops, and posts them. */
        Pool post(int poster, int ops) {
            Actor actor = posterActors.get(poster);
            int before = appended[poster];
            appended[poster] += ops;
            BooleanSupplier hasRoom = () -> posters.get(poster).outstanding() + ops <= capacity;
            if (isAnyKilled) {
                actor.when("append", hasRoom, () -> append(poster, before, ops)).then("post", () -> show(poster, ops));
            } else {
                // The difference is not visible, and the schedules are far fewer.
                actor.when("append and post", hasRoom, () -> {
                    append(poster, before, ops);
                    show(poster, ops);
                });
            }
            return this;
        }

        /** Another thread wants the consumer to do something. */
        Pool command() {
            Actor actor = new Actor("commander");
            actor.then("add a command", () -> commands++).then("ring", pool::wakeup);
            actors.add(actor);
            return this;
        }

        /** The poster may die at any moment. */
        Pool killable(int poster) {
            Actor killer = new Actor("killer");
            killer.then("kill", posterActors.get(poster)::die);
            actors.add(killer);
            isAnyKilled = true;
            return this;
        }

        private void append(int poster, int first, int ops) {
            for (int i = 0; i < ops; i++) {
                posters.get(poster).append(first).root(poster).nbytes(first + i).peer(ops);
            }
        }

        private void show(int poster, int ops) {
            posted[poster] += ops;
            posters.get(poster).post();
            Runnable ringing = ring;
            posterActors.get(poster).next("ring if armed", () -> true, ringing);
        }

        private void fetchNext() {
            consumer.then("fetch", () -> {
                commands = 0;
                int ops = fetcher.fetch(this::take, 1);
                if (ops > 0) {
                    fetchNext();
                } else {
                    armNext();
                }
            });
        }

        private void armNext() {
            consumer.then("arm", () -> {
                if (fetcher.arm()) {
                    lookNext();
                } else {
                    fetchNext();
                }
            });
        }

        private void lookNext() {
            consumer.then("look again", () -> {
                if (looksAgain && (fetcher.hasPosted() || commands > 0)) {
                    disarmNext();
                } else {
                    consumer.then("sleep", () -> {
                        fetcher.sleep(Long.MAX_VALUE);
                        disarmNext();
                    });
                }
            });
        }

        private void disarmNext() {
            consumer.when("disarm", () -> !isAsleep, () -> {
                fetcher.disarm();
                fetchNext();
            });
        }

        private void take(ProxyOp op) {
            int poster = op.root();
            assertEquals(seen[poster]++, op.nbytes(), "ops of a poster in order, each once");
            assertTrue(seen[poster] <= posted[poster], "not before it is posted");
            assertTrue(op.nbytes() >= op.opCount() && op.nbytes() < op.opCount() + op.peer(), "its own fields");
            fetcher.complete(op.ticket());
        }

        @Override
        public List<Actor> actors() {
            return actors;
        }

        @Override
        public void check() {
            pool.audit();
        }

        /** The consumer always has a next step, so this is reached only when it sleeps and all others have ended. */
        @Override
        public void checkEnd() {
            assertTrue(isAsleep);
            if (isAnyKilled) {
                // A poster that dies before it can ring does not wake the consumer: the sleep's own end has to.
                fetcher.disarm();
                fetcher.fetch(this::take, Integer.MAX_VALUE);
            }
            assertEquals(0, pool.outstanding(), "asleep with ops to fetch");
            assertEquals(0, commands, "asleep with commands to run");
            for (int i = 0; i < seen.length; i++) {
                assertEquals(posted[i], seen[i]);
            }
            assertFalse(fetcher.hasPosted());
        }

        /** Notes whether the consumer sleeps. */
        private final class NotedFutex implements Futex {
            private final MemorySegment memory;

            NotedFutex(MemorySegment memory) {
                this.memory = memory;
            }

            @Override
            public void await(int expected, long maxNs) {
                isAsleep = memory.get(ValueLayout.JAVA_INT, OpsPoolDescriptor.DOORBELL_OFFSET) == expected;
            }

            @Override
            public void wake() {
                isAsleep = false;
            }
        }

        /** The real one, but that posters ring in a step of its own. */
        private final class SteppedDoorbell implements Doorbell {
            private final MappedDoorbell real;

            SteppedDoorbell(MemorySegment memory) {
                this.real = new MappedDoorbell(memory, new NotedFutex(memory), null);
            }

            @Override
            public boolean arm() {
                return real.arm();
            }

            @Override
            public void sleep(long maxNs) {
                real.sleep(maxNs);
            }

            @Override
            public void disarm() {
                real.disarm();
            }

            @Override
            public void ring() {
                real.ring();
            }

            @Override
            public void ringIfArmed() {
                ring = real::ringIfArmed;
            }

            @Override
            public void wakeBy(Runnable wakeup) {
                real.wakeBy(wakeup);
            }

            @Override
            public boolean isHeardAcrossProcesses() {
                return real.isHeardAcrossProcesses();
            }
        }
    }
}

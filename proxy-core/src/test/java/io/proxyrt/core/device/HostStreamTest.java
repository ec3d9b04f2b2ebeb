/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.agent.BackoffIdle;
import io.proxyrt.core.agent.thread.AgentRunner;
import io.proxyrt.core.agent.thread.ThreadSetup;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.platform.Platform;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class HostStreamTest {
    private final HostStream stream = new HostStream("stream");
    private final List<String> log = new ArrayList<>();

    @Test
    void shouldRunKernelsOneAfterTheOther() {
        stream.launch(new Countdown("a", 2));
        stream.launch(new Countdown("b", 1));
        assertEquals(2, stream.outstanding());
        drive(3);
        assertEquals(List.of("a 1", "a 0", "a retired", "b 0", "b retired"), log);
        assertEquals(0, stream.outstanding());
        assertEquals(0, stream.doWork());
    }

    @Test
    void shouldRefuseWhatDoesNotFit() {
        for (int i = 0; i < HostStream.CAPACITY; i++) {
            assertTrue(stream.launch(new Countdown("k", 1)));
        }
        assertFalse(stream.launch(new Countdown("k", 1)));
        assertEquals(HostStream.CAPACITY, stream.outstanding());
        drive(1);
        assertTrue(stream.launch(new Countdown("k", 1)));
    }

    @Test
    void shouldDropKernelsWhenAborted() {
        stream.launch(new Countdown("a", 5));
        stream.launch(new Countdown("b", 5));
        drive(1);
        stream.abort();
        drive(2);
        assertEquals(List.of("a 4", "a dropped", "b dropped"), log);
        assertEquals(0, stream.outstanding());
    }

    @Test
    void shouldSayWhatItDropped() {
        assertEquals("", stream.abandoned());
        stream.launch(new Countdown("done", 1));
        drive(1);
        assertEquals("", stream.abandoned());
        stream.launch(new Countdown("a", 5));
        assertEquals("stream: 1 kernel launched and not finished", stream.abandoned());
        stream.launch(new Countdown("b", 5));
        drive(1);
        stream.onClose();
        assertEquals("stream: 2 kernels launched and not finished; the first: kernel a", stream.abandoned());
        assertEquals(0, stream.outstanding());
    }

    @Test
    void shouldEndAKernelThatWaitsInVain() {
        List<ProxyException> heard = new ArrayList<>();
        stream.onFailure(heard::add);
        stream.launch(new Stuck());
        drive(1);
        assertEquals("stream: the stuck one", stream.describe());
        drive(1000);
        assertNull(stream.failure());
        stuckFor = new ProxyException(ProxyResult.REMOTE_ERROR, "rank 1 left");
        drive(100);
        assertEquals("rank 1 left; stream: the stuck one", stream.failure().getMessage());
        assertEquals(List.of(stream.failure()), heard);
        assertEquals(List.of("dropped"), log);
        assertEquals("", stream.describe());
    }

    @Test
    void shouldLookOnceMoreWhatAPeerThatIsGoneHasDone() {
        stream.launch(new Stuck());
        drive(1000);
        moves = 1;
        stuckFor = new ProxyException(ProxyResult.REMOTE_ERROR, "rank 1 left");
        drive(200);
        assertNull(stream.failure());
        assertEquals(List.of("done"), log);
    }

    /** Data of another operation may come just then. */
    @Test
    void shouldEndAKernelThatGivesUpWhenItIsAskedWhetherItIsInVain() {
        ProxyException foreign = new ProxyException(ProxyResult.INVALID_USAGE, "the ranks disagree");
        List<ProxyException> heard = new ArrayList<>();
        stream.onFailure(heard::add);
        stream.launch(new Stuck() {
            @Override
            public ProxyException whyHopeless() {
                throw foreign;
            }
        });
        drive(100);
        assertSame(foreign, stream.failure());
        assertEquals(List.of(foreign), heard);
        assertEquals(List.of("dropped"), log);
        assertEquals(0, stream.outstanding());
    }

    private ProxyException stuckFor;
    private int moves;

    private class Stuck implements HostKernel {
        private boolean isDone;

        /** Data that come only after a look at whether any can. */
        @Override
        public int doWork() {
            isDone = stuckFor != null && moves > 0;
            return isDone ? 1 : 0;
        }

        @Override
        public boolean isDone() {
            return isDone;
        }

        @Override
        public void onRetired(boolean isDropped) {
            log.add(isDropped ? "dropped" : "done");
        }

        @Override
        public ProxyException whyHopeless() {
            return stuckFor;
        }

        @Override
        public String toString() {
            return "the stuck one";
        }
    }

    @Test
    void shouldEndWithWhyAKernelGaveUp() {
        ProxyException why = new ProxyException(ProxyResult.REMOTE_ERROR, "the peer lies");
        stream.launch(new Countdown("a", 5) {
            @Override
            public int doWork() {
                throw why;
            }
        });
        stream.launch(new Countdown("b", 1));
        assertNull(stream.failure());
        drive(2);
        assertSame(why, stream.failure());
        assertEquals(List.of("a dropped", "b dropped"), log);
        assertEquals(0, stream.outstanding());
    }

    @Test
    void shouldTellThatKernelsMove() {
        assertEquals(0, stream.moves());
        stream.launch(new Countdown("a", 2));
        stream.doWork();
        long once = stream.moves();
        assertTrue(once > 0);
        stream.doWork();
        long all = stream.moves();
        assertTrue(all > once);
        stream.doWork();
        assertEquals(all, stream.moves());
    }

    @Test
    void shouldWakeAParkedThreadForEveryLaunch() {
        ProxyConfig config = ProxyConfig.builder().environment(Map.of()).set(CoreOptions.IDLE_SPINS, 0)
                .set(CoreOptions.IDLE_YIELDS, 0).set(CoreOptions.IDLE_PARK, Duration.ofHours(1)).build();
        // Parks for an hour each time: a lost wake-up would show as a test that times out.
        HostStream sleepy = new HostStream("sleepy");
        AgentRunner runner = new AgentRunner(new LongPark(sleepy), ThreadSetup.of(Platform.find(), config, 0),
                ThreadSetup.Duty.STREAM, new BackoffIdle(config), t -> log.add(t.toString()));
        runner.start();
        Countdown kernel = new Countdown(null, 1);
        for (int i = 0; i < 20_000; i++) {
            kernel.left = 1;
            sleepy.launch(kernel);
            while (sleepy.outstanding() > 0) {
                Thread.onSpinWait();
            }
        }
        runner.stop(() -> true);
        assertTrue(runner.join(Duration.ofMinutes(2)));
        assertEquals(List.of(), log);
    }

    /** Else its thread would turn for as long as the peer does nothing, and take the CPU from it. */
    @Test
    void shouldParkBesideAKernelThatWaitsWithOthersBehindIt() throws InterruptedException {
        stream.launch(new Stuck());
        stream.launch(new Countdown("behind", 1));
        drive(1);
        Thread sleeper = Thread.ofPlatform().start(() -> stream.park(Duration.ofHours(1).toNanos()));
        while (sleeper.getState() != Thread.State.TIMED_WAITING) {
            assertTrue(sleeper.isAlive());
            Thread.onSpinWait();
        }
        stream.wakeup(sleeper);
        sleeper.join();
    }

    /** As a peer does that deregisters memory in which a kernel reads. */
    @Test
    void shouldDropAllWhereMemoryOfAKernelIsFreed() {
        Arena arena = Arena.ofShared();
        MemorySegment memory = arena.allocate(8);
        stream.launch(new Countdown("a", 2) {
            @Override
            public int doWork() {
                memory.get(ValueLayout.JAVA_LONG, 0);
                return super.doWork();
            }
        });
        stream.launch(new Countdown("b", 1));
        drive(1);
        assertNull(stream.failure());
        arena.close();

        drive(1);

        assertEquals(ProxyResult.REMOTE_ERROR, stream.failure().result());
        assertEquals(0, stream.outstanding());
        assertEquals(List.of("a 1", "a dropped", "b dropped"), log);
    }

    private void drive(int turns) {
        for (int i = 0; i < turns; i++) {
            stream.doWork();
        }
    }

    private class Countdown implements HostKernel {
        private final String name;
        private int left;

        Countdown(String name, int left) {
            this.name = name;
            this.left = left;
        }

        @Override
        public int doWork() {
            left--;
            if (name != null) {
                log.add(name + " " + left);
            }
            return 1;
        }

        @Override
        public boolean isDone() {
            return left == 0;
        }

        @Override
        public void onRetired(boolean isDropped) {
            if (name != null) {
                log.add(name + (isDropped ? " dropped" : " retired"));
            }
        }

        @Override
        public String toString() {
            return "kernel " + name;
        }
    }
}

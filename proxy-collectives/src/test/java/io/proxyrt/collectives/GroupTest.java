/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.DataType;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.RedOp;
import io.proxyrt.core.ThreadingMode;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.counters.Counter;
import io.proxyrt.testkit.Extent;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntUnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

@Tag("installed-gpu")
@Tag(Extent.SCALED)
class GroupTest {
    private static final DataType TYPE = DataType.INT32;
    private static final int UNTOUCHED = -77;
    private static final int MOST = 30_000;

    @TempDir
    Path directory;

    static Stream<Arguments> ways() {
        Stream<Arguments> host = Stream.of("SHM", "NET").flatMap(transport -> Stream.of(ThreadingMode.INVOKER,
                ThreadingMode.DEDICATED).flatMap(mode -> IntStream.of(1, 2, 3, 4, 8).boxed().flatMap(nRanks ->
                Stream.of(8, 1024).map(lane -> Arguments.of("host", transport, mode, nRanks, lane)))));
        Stream<Arguments> gpu = Stream.of("SHM", "NET", "P2P").flatMap(transport -> IntStream.of(2, 3)
                .mapToObj(nRanks -> Arguments.of("cuda", transport, ThreadingMode.INVOKER, nRanks, 1024)));
        return Extent.sample(5, Stream.concat(host, gpu));
    }

    /** Each rank makes the calls of a group in an order of its own, but for collectives among each other. */
    @ParameterizedTest
    @MethodSource("ways")
    void shouldDoWhatRandomProgramsSay(String device, String transport, ThreadingMode mode, int nRanks, int lane)
            throws Exception {
        GpuRanks.assumeRoomFor(nRanks);
        List<ProxyConfig> configs = IntStream.range(0, nRanks).mapToObj(rank -> (device.equals("host")
                ? InProcessRanks.config(directory, mode, transport)
                : GpuRanks.config(directory, mode, transport, rank)).set(CoreOptions.LANE_CAPACITY, lane).build())
                .toList();
        check(InProcessRanks.failures(configs, comm -> {
            for (int seed = 0; seed < 6; seed++) {
                List<Step> steps = program(new Random(seed * 100L + nRanks), nRanks);
                List<Action> actions = steps.stream().map(step -> step.at(comm)).toList();
                List<Action> order = shuffled(actions, new Random(seed * 31L + comm.rank()));
                comm.group(group -> order.forEach(action -> action.call(group)));
                comm.synchronize();
                actions.forEach(Action::check);
                comm.barrier();
            }
        }));
    }

    /** Messages go between collectives where they like; those between two ranks keep their order, as collectives do. */
    private static List<Action> shuffled(List<Action> actions, Random random) {
        List<Action> order = new ArrayList<>(actions.stream().filter(action -> action.isCollective).toList());
        List<Action> messages = actions.stream().filter(action -> !action.isCollective).toList();
        int at = 0;
        for (Action message : messages) {
            at += random.nextInt(order.size() + 1 - at);
            order.add(at++, message);
        }
        return order;
    }

    private static List<Step> program(Random random, int nRanks) {
        return IntStream.range(0, 1 + random.nextInt(40)).mapToObj(number -> new Step(number, random.nextInt(7),
                random.nextInt(4) == 0 ? 1 + random.nextInt(MOST) : 1 + random.nextInt(40),
                random.nextInt(nRanks), random.nextInt(nRanks), RedOp.values()[random.nextInt(4)])).toList();
    }

    /** One operation of all ranks. */
    private record Step(int number, int kind, int count, int one, int other, RedOp op) {
        private static int value(int number, int rank, int index) {
            return number * 7 + rank * 1001 + index % 13 - 5;
        }

        private IntUnaryOperator of(int rank) {
            return i -> value(number, rank, i);
        }

        private int reduced(int nRanks, int index) {
            return IntStream.range(0, nRanks).map(rank -> value(number, rank, index)).reduce((a, b) -> switch (op) {
                case SUM -> a + b;
                case PROD -> a * b;
                case MAX -> Math.max(a, b);
                default -> Math.min(a, b);
            }).orElseThrow();
        }

        Action at(Communicator comm) {
            int n = comm.nRanks();
            int me = comm.rank();
            IntUnaryOperator nothing = i -> UNTOUCHED;
            return switch (kind) {
                case 0, 1 -> new Action(comm, number, true, count, of(me), count, i -> reduced(n, i),
                        (calls, in, out) -> calls.allReduce(in, out, count, TYPE, op));
                case 2 -> new Action(comm, number, true, count, of(me), count,
                        me == one ? i -> reduced(n, i) : nothing,
                        (calls, in, out) -> calls.reduce(in, out, count, TYPE, op, one));
                case 3 -> new Action(comm, number, true, count, of(me), count, of(one),
                        (calls, in, out) -> calls.broadcast(in, out, count, TYPE, one));
                case 4 -> new Action(comm, number, true, count * n, of(me), count * n,
                        i -> value(number, i / count, me * count + i % count),
                        (calls, in, out) -> calls.allToAll(in, out, count, TYPE));
                case 5 -> new Action(comm, number, true, count, of(me), count * n,
                        i -> value(number, i / count, i % count),
                        (calls, in, out) -> calls.allGather(in, out, count, TYPE));
                default -> new Action(comm, number, false, count, of(me), count, me == other ? of(one) : nothing,
                        (calls, in, out) -> {
                            if (me == one) {
                                calls.send(in.asSlice(0, 4L * count), other);
                            }
                            if (me == other) {
                                calls.recv(out.asSlice(0, 4L * count), one);
                            }
                        });
            };
        }
    }

    /** A call with memory of its own. */
    private interface Call {
        void make(Collectives calls, MemorySegment in, MemorySegment out);
    }

    /** One rank's part of a step. */
    private static final class Action {
        private final int number;
        private final boolean isCollective;
        private final Call call;
        private final RankBuffer in;
        private final RankBuffer out;
        private final int outCount;
        private final IntUnaryOperator expected;

        Action(Communicator comm, int number, boolean isCollective, int inCount, IntUnaryOperator input, int outCount,
                IntUnaryOperator expected, Call call) {
            this.number = number;
            this.isCollective = isCollective;
            this.call = call;
            this.outCount = outCount;
            this.expected = expected;
            this.in = buffer(comm, inCount, input);
            this.out = buffer(comm, outCount, i -> UNTOUCHED);
        }

        private static RankBuffer buffer(Communicator comm, int count, IntUnaryOperator values) {
            RankBuffer buffer = new RankBuffer(comm, 4L * count);
            MemorySegment content = Arena.ofAuto().allocate(4L * count, 8);
            IntStream.range(0, count).forEach(i -> content.set(JAVA_INT_UNALIGNED, 4L * i, values.applyAsInt(i)));
            buffer.write(content);
            return buffer;
        }

        void call(Collectives calls) {
            call.make(calls, in.range(), out.range());
        }

        void check() {
            MemorySegment content = out.read(4L * outCount);
            for (int i = 0; i < outCount; i++) {
                int index = i;
                assertEquals(expected.applyAsInt(i), content.get(JAVA_INT_UNALIGNED, 4L * i),
                        () -> "step " + number + ", element " + index + " of " + outCount);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"INVOKER", "DEDICATED"})
    void shouldTellTheProxyOfSmallAllReducesOnce(ThreadingMode mode) throws Exception {
        ProxyConfig config = InProcessRanks.config(directory, mode, "NET").build();
        InProcessRanks.run(3, config, comm -> {
            MemorySegment data = comm.allocate(64 << 10).segment();
            long single = opsOf(comm, () -> comm.allReduce(data, data, 256, TYPE, RedOp.SUM));
            long grouped = opsOf(comm, () -> comm.group(group -> {
                for (int i = 0; i < 64; i++) {
                    MemorySegment piece = data.asSlice(1024L * i, 1024);
                    group.allReduce(piece, piece, 256, TYPE, RedOp.SUM);
                }
            }));
            assertEquals(single, grouped);
        });
    }

    private static long opsOf(Communicator comm, Runnable calls) {
        comm.synchronize();
        long before = comm.proxy().counters().get(Counter.OPS_FETCHED);
        calls.run();
        comm.synchronize();
        return comm.proxy().counters().get(Counter.OPS_FETCHED) - before;
    }

    @Test
    void shouldNotWaitForTheOrderOfMessages() throws Exception {
        ProxyConfig config = InProcessRanks.config(directory, ThreadingMode.DEDICATED, "SHM").build();
        InProcessRanks.run(2, config, comm -> {
            int other = 1 - comm.rank();
            MemorySegment out = comm.allocate(8 << 20).segment().fill((byte) (comm.rank() + 1));
            MemorySegment in = comm.allocate(8 << 20).segment();
            comm.group(group -> {
                group.send(out, other);
                group.recv(in, other);
            });
            comm.synchronize();
            assertEquals(other + 1, in.get(JAVA_BYTE, (8 << 20) - 1));
        });
    }

    @Test
    void shouldLaunchNothingOfAGroupThatThrows() throws Exception {
        ProxyConfig config = InProcessRanks.config(directory, ThreadingMode.DEDICATED, "SHM").build();
        InProcessRanks.run(2, config, comm -> {
            MemorySegment data = comm.allocate(64).segment();
            data.set(JAVA_INT_UNALIGNED, 0, 1);
            assertThrows(IllegalStateException.class, () -> comm.group(group -> {
                group.allReduce(data, data, 16, TYPE, RedOp.SUM);
                group.send(data, 1 - comm.rank());
                throw new IllegalStateException("changed its mind");
            }));
            comm.allReduce(data, data, 16, TYPE, RedOp.SUM);
            comm.synchronize();
            assertEquals(2, data.get(JAVA_INT_UNALIGNED, 0));
        });
    }

    @Test
    void shouldRefuseWhatIsNoGroup() throws Exception {
        ProxyConfig config = InProcessRanks.config(directory, ThreadingMode.DEDICATED, "SHM").build();
        InProcessRanks.run(2, config, comm -> {
            MemorySegment data = comm.allocate(64).segment();
            assertRefused("a group has 1 messages to this rank itself, and 0 from it",
                    () -> comm.group(group -> group.send(data, comm.rank())));
            assertRefused("allReduce is called inside a group",
                    () -> comm.group(group -> comm.allReduce(data, data, 16, TYPE, RedOp.SUM)));
            assertRefused("synchronize is called inside a group", () -> comm.group(group -> comm.synchronize()));
            AtomicReference<Collectives> kept = new AtomicReference<>();
            comm.group(kept::set);
            assertRefused("the calls of a group that has ended", () -> kept.get().send(data, 1 - comm.rank()));
            comm.allReduce(data, data, 16, TYPE, RedOp.SUM);
            comm.synchronize();
        });
    }

    /** One says that it groups calls, and the other makes them one by one. */
    @Test
    void shouldSayThatRanksGroupTheirCallsDifferently() throws Exception {
        ProxyConfig config = InProcessRanks.config(directory, ThreadingMode.DEDICATED, "SHM").build();
        List<Throwable> failures = InProcessRanks.failures(2, config, comm -> {
            MemorySegment data = comm.allocate(64).segment();
            if (comm.rank() == 0) {
                comm.group(group -> {
                    group.allReduce(data, data, 16, TYPE, RedOp.SUM);
                    group.allReduce(data, data, 16, TYPE, RedOp.SUM);
                });
            } else {
                comm.allReduce(data, data, 16, TYPE, RedOp.SUM);
                comm.allReduce(data, data, 16, TYPE, RedOp.SUM);
                comm.allReduce(data, data, 16, TYPE, RedOp.SUM);
            }
            comm.synchronize();
        });
        for (Throwable failure : failures) {
            assertTrue(String.valueOf(failure).contains("all_reduce of 32 INT32 SUM (2 of a group in one) at rank 0"),
                    String.valueOf(failure));
        }
    }

    private static void assertRefused(String why, Runnable call) {
        ProxyException refusal = assertThrows(ProxyException.class, call::run);
        assertEquals(ProxyResult.INVALID_USAGE, refusal.result());
        assertTrue(refusal.getMessage().contains(why), refusal.getMessage());
    }

    private static void check(List<Throwable> failures) {
        for (Throwable failure : failures) {
            if (failure != null) {
                throw new AssertionError("a rank failed", failure);
            }
        }
    }
}

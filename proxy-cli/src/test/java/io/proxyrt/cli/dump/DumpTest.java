/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.dump;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.cli.stat.RuntimeChoice;
import io.proxyrt.cli.view.Destination;
import io.proxyrt.collectives.kernel.OpWord;
import io.proxyrt.core.CollFunction;
import io.proxyrt.core.DataType;
import io.proxyrt.core.Direction;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.RedOp;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.counters.ActiveOps;
import io.proxyrt.core.counters.Counters;
import io.proxyrt.core.counters.EventRing;
import io.proxyrt.core.counters.EventType;
import io.proxyrt.core.directory.RuntimeDirectory;
import io.proxyrt.core.op.OpsPool;
import io.proxyrt.core.op.OpsPoster;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code proxyrt dump} and {@code proxyrt blackbox}, on files that the test writes. */
class DumpTest {
    private static final long SECOND_NS = 1_000_000_000;
    private final StringWriter text = new StringWriter();
    @TempDir
    private Path base;

    private RuntimeDirectory directory;
    private Counters counters;
    private OpsPool pool;
    private OpsPoster poster;

    @BeforeEach
    void start() {
        directory = RuntimeDirectory.create(config(), 1);
        counters = Counters.create(directory.counters(), "a job", 1, 4);
        counters.heartbeat(System.currentTimeMillis());
        pool = OpsPool.create(directory.ops(), 1, config());
        poster = pool.poster();
    }

    @AfterEach
    void close() {
        poster.close();
        pool.close();
        counters.close();
        directory.close();
    }

    @Test
    void shouldShowActiveOpsAndWhatWasNotFetched() {
        post(2);
        pool.fetcher().fetch(op -> { }, 10);
        publish();
        post(3);
        dump(null).print();
        String all = text.toString();
        assertTrue(all.startsWith("rank 1 of 4, job a job, pid " + pid() + ", running, heartbeat 0."), all);
        assertTrue(all.contains("[0|12| Coll->Recv nb:65536 ns:16 p:12 t:4 r:4 d:4 peer:2 chan:1] NET 100000000"), all);
        assertTrue(all.contains(": waits for rank 2 to send step 4 of 16\n"), all);
        assertTrue(all.contains("lane 0: 3 ops posted by process " + pid() + " and not fetched, 2 in flight, of 1024"),
                all);
    }

    @Test
    void shouldSayThatAllHaveEndedSince() {
        publish();
        dump(null).print();
        assertTrue(text.toString().contains("ops: all have ended since"), text::toString);
        assertFalse(text.toString().contains("ACTIVE OPS"), text::toString);
    }

    @Test
    void shouldTellOfOpsThatTheSnapshotHasNotYet() {
        post(2);
        pool.fetcher().fetch(op -> { }, 10);
        event(EventType.FETCHED, 1);
        event(EventType.DONE, 1);
        event(EventType.FETCHED, 2);
        event(EventType.FETCHED, 3);
        dump(null).print();
        assertTrue(text.toString().contains("ops: 2 are in flight\nfetched since, and not ended, of unknown steps:\n"
                + "  fetched op 2 peer 3 channel 0 connection 1: 64 bytes\n  fetched op 3 "), text::toString);
    }

    @Test
    void shouldChooseByProcessOrJob() {
        for (String wanted : new String[] {Long.toString(pid()), "a job"}) {
            dump(wanted).print();
        }
        assertEquals(2, text.toString().lines().filter(line -> line.startsWith("rank 1 of 4")).count());
        ProxyException e = assertThrows(ProxyException.class, () -> dump("another").print());
        assertEquals(ProxyResult.INVALID_ARGUMENT, e.result());
        assertTrue(e.getMessage().endsWith("there are " + pid() + " of a job"), e.getMessage());
    }

    @Test
    void shouldWriteTheSameForPrograms() {
        publish();
        new Dump(new RuntimeChoice(config(), null), new PrintWriter(text),
                Optional.of(new Destination(Path.of("-"), new PrintWriter(text)))).print();
        String json = text.toString().replaceAll("\\s+", "");
        assertTrue(json.contains("\"opCount\":12,\"connection\":\"100000000\",\"transport\":\"NET\","
                + "\"direction\":\"recv\",\"peer\":2,\"channel\":1,\"isMessage\":false,"), json);
        assertTrue(json.contains("\"waitsFor\":\"waitsforrank2tosendstep4of16\""), json);
        assertTrue(json.contains("\"pid\":" + pid() + ",\"process\":\"running\""), json);
    }

    @Test
    void shouldShowEventsOfACopyOfTheFile() throws IOException {
        EventRing caller = counters.blackBox().caller("rank 1");
        caller.called(System.nanoTime(), 7,
                OpWord.word(CollFunction.ALL_REDUCE, DataType.FLOAT32, RedOp.SUM, 0), 4096, EventRing.NO_PEER);
        caller.finished(6);
        event(EventType.FETCHED, 2);
        counters.failure(ProxyResult.REMOTE_ERROR.code(), "rank 3 died");
        Path copy = base.resolve("copy");
        Files.copy(directory.counters(), copy);
        new BlackBoxPrint(new PrintWriter(text), Optional.empty(), 0).print(copy);
        String all = text.toString();
        assertTrue(all.startsWith("rank 1 of 4, job a job, pid " + pid() + ", dead"), all);
        assertTrue(all.contains("\nfirst failure: rank 3 died\n"), all);
        assertTrue(all.contains("rank 1: last called #7, all_reduce of 1024 FLOAT32 SUM, at "), all);
        assertTrue(all.contains("; known to have ended: up to #6\n"), all);
        assertTrue(all.contains("  rank 1     called #7: all_reduce of 1024 FLOAT32 SUM\n"), all);
        assertTrue(all.contains("  progress   fetched op 2 peer 3 channel 0 connection 1: 64 bytes\n"), all);
    }

    @Test
    void shouldShowTheLastEventsOfThoseThatLive() {
        for (int i = 0; i < 10; i++) {
            event(EventType.FETCHED, i);
        }
        new BlackBoxPrint(new PrintWriter(text), Optional.empty(), 3).print(new RuntimeChoice(config(), null));
        assertTrue(text.toString().contains(", running, "), text::toString);
        assertTrue(text.toString().contains("the last 3 of 10 events:\n"), text::toString);
        assertEquals(3, text.toString().lines().filter(line -> line.contains("fetched op")).count());
        text.getBuffer().setLength(0);
        new BlackBoxPrint(new PrintWriter(text), Optional.empty(), 3).print(directory.path());
        assertTrue(text.toString().contains(", running, "), text::toString);
    }

    private Dump dump(String wanted) {
        return new Dump(new RuntimeChoice(config(), wanted), new PrintWriter(text), Optional.empty());
    }

    private void post(int ops) {
        for (int i = 1; i <= ops; i++) {
            poster.append(i).connection(1).nsteps(1);
        }
        poster.post();
    }

    private void event(EventType type, long opCount) {
        counters.blackBox().progress().add(System.nanoTime(), type, 0, opCount, 1, 0, 3, 64);
    }

    private void publish() {
        ActiveOps ops = counters.blackBox().activeOps();
        long now = System.nanoTime();
        ops.begin(now);
        ops.next();
        ops.op(12, 0x100000000L, now - 4 * SECOND_NS, now - 3 * SECOND_NS);
        ops.way(Direction.RECV, 2, 1, "NET");
        ops.kind(2, CollFunction.ALL_REDUCE.ordinal(), 7, 0);
        ops.size(65536, 16, 32);
        ops.steps(12, 4, 4, 4);
        ops.place(2, 0, 0);
        ops.end();
    }

    private static long pid() {
        return ProcessHandle.current().pid();
    }

    private ProxyConfig config() {
        return ProxyConfig.builder().environment(Map.of()).set(CoreOptions.DIRECTORY, base.toString()).build();
    }
}

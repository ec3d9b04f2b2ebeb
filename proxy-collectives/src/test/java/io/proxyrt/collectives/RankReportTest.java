/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.collectives.RankReport.At;
import io.proxyrt.collectives.kernel.OpWord;
import io.proxyrt.core.CollFunction;
import io.proxyrt.core.DataType;
import io.proxyrt.core.RedOp;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RankReportTest {
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 15, 16, 17, 63, 64, 65, 1000})
    void shouldCarryTheYoungestOperations(int n) {
        OpLog log = log(RankReport.COLLECTIVES, n);
        RankReport report = new RankReport(At.COLLECTIVE, n, log, log(RankReport.MESSAGES, n),
                log(RankReport.MESSAGES, n + 1));

        RankReport back = RankReport.decode(ByteBuffer.wrap(report.encode()).position(1));

        assertEquals(At.COLLECTIVE, back.at());
        assertEquals(n, back.collectives().last());
        assertEquals(n + 1, back.recvs().last());
        assertEquals(0, log.firstDifference(back.collectives()));
        for (int number = 1; number <= n; number++) {
            assertEquals(number > n - 64, back.collectives().holds(number), "number " + number);
        }
        assertFalse(back.collectives().holds(n + 1));
    }

    @Test
    void shouldFindTheOldestDifferenceThatBothKnow() {
        OpLog mine = log(RankReport.COLLECTIVES, 10);
        OpLog theirs = log(RankReport.COLLECTIVES, 4);
        theirs.add(5, 6);
        theirs.add(7, 7);

        assertEquals(5, mine.firstDifference(theirs));
        assertEquals(5, theirs.firstDifference(mine));
    }

    @Test
    void shouldTakeARankThatIsLateForNoDifference() {
        assertEquals(0, log(RankReport.COLLECTIVES, 10).firstDifference(log(RankReport.COLLECTIVES, 4)));
        assertEquals(0, log(RankReport.COLLECTIVES, 1000).firstDifference(log(RankReport.COLLECTIVES, 4)));
    }

    @Test
    void shouldRefuseNonsense() {
        byte[] sound = new RankReport(At.MESSAGE, 0, log(RankReport.COLLECTIVES, 3), log(RankReport.MESSAGES, 2),
                log(RankReport.MESSAGES, 1)).encode();
        Random random = new Random(19);
        for (int i = 0; i < 20_000; i++) {
            byte[] blob = random.nextBoolean() ? sound.clone() : new byte[random.nextInt(300)];
            for (int k = random.nextInt(5); k >= 0 && blob.length > 0; k--) {
                blob[random.nextInt(blob.length)] = (byte) random.nextInt();
            }
            int length = random.nextInt(blob.length + 1);
            try {
                RankReport report = RankReport.decode(ByteBuffer.wrap(blob, 0, length));
                report.collectives().firstDifference(log(RankReport.COLLECTIVES, 5));
                report.needsAllRanks();
                report.sends().firstDifference(report.recvs());
            } catch (IllegalArgumentException | BufferUnderflowException e) {
                assertTrue(length <= blob.length, e.toString());
            }
        }
        assertThrows(IllegalArgumentException.class, () -> OpLog.get(ByteBuffer.allocate(12).putInt(8, 65), 64));
        assertThrows(IllegalArgumentException.class, () -> OpLog.get(ByteBuffer.allocate(12).putInt(8, 1), 64));
    }

    @Test
    void shouldSayWhatAnOperationIs() {
        assertEquals("all_reduce of 1024 FLOAT32 SUM",
                OpWord.describe(OpWord.word(CollFunction.ALL_REDUCE, DataType.FLOAT32, RedOp.SUM, 0), 4096));
        assertEquals("broadcast of 3 INT8 from rank 2000000000",
                OpWord.describe(OpWord.word(CollFunction.BROADCAST, DataType.INT8, null, 2_000_000_000), 3));
        assertEquals("a message of 7 bytes", OpWord.describe(OpWord.MESSAGE, 7));
        assertEquals("an unknown operation of 7 bytes", OpWord.describe(-1, 7));
    }

    private static OpLog log(int readable, int n) {
        OpLog log = new OpLog(readable);
        for (int i = 1; i <= n; i++) {
            log.add(i * 31L, i);
        }
        return log;
    }
}

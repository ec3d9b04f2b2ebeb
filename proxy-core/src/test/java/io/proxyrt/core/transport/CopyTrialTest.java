/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CopyTrialTest {
    private static final long BYTES = 1 << 16;

    private final CopyTrial trial = new CopyTrial();

    /** Nanoseconds for 64 KiB into slots that another CPU reads, by the JVM and by the C library. */
    @ParameterizedTest
    @CsvSource({
        "8900,2200,true",   // as on an AMD EPYC between CPUs that share no cache: 7.4 and 30 GB/s
        "2100,2150,false",  // as on Intel Xeons, where the two are level
        "2100,1950,false",
        "2100,1850,true",
        "2100,9000,false"})
    void shouldTakeWhatIsATenthFaster(long jvmNs, long nativeNs, boolean isNative) {
        run(jvmNs, nativeNs);
        assertEquals(isNative, trial.isNative());
    }

    @Test
    void shouldNotMindCopiesThatWereInterrupted() {
        for (int i = 0; trial.isRunning(); i++) {
            long ns = trial.isNextNative() ? 1000 : 2000;
            trial.took(i % 3 == 0 ? ns + 4_000_000 : ns, BYTES);
        }
        assertTrue(trial.isNative());
    }

    @Test
    void shouldTryEachAsOften() {
        int natives = 0;
        int copies = 0;
        for (; trial.isRunning(); copies++) {
            natives += trial.isNextNative() ? 1 : 0;
            trial.took(1000, BYTES);
        }
        assertEquals(2 * CopyTrial.SAMPLES, copies);
        assertEquals(CopyTrial.SAMPLES, natives);
    }

    @Test
    void shouldStayWithTheWinnerUntilTheOtherIsClearlyFaster() {
        run(2000, 1000);
        assertTrue(trial.isNative());
        pause();
        run(1000, 1050);
        assertTrue(trial.isNative());
        pause();
        run(1000, 2000);
        assertFalse(trial.isNative());
    }

    @Test
    void shouldTryAgainLessAndLessOften() {
        run(2000, 1000);
        assertEquals(CopyTrial.FIRST_PAUSE, pause());
        run(2000, 1000);
        assertEquals(2 * CopyTrial.FIRST_PAUSE, pause());
        for (int i = 0; i < 20; i++) {
            run(2000, 1000);
            pause();
        }
        run(2000, 1000);
        assertEquals(CopyTrial.LONGEST_PAUSE, pause());
    }

    @Test
    void shouldCompareSizesOfOneClass() {
        for (int i = 0; trial.isRunning(); i++) {
            long bytes = i % 4 < 2 ? BYTES : 2 * BYTES - 1;
            trial.took((trial.isNextNative() ? 1000 : 1300) * bytes / BYTES, bytes);
        }
        assertTrue(trial.isNative());
    }

    @Test
    void shouldSayHowFastBothWere() {
        run(8192, 2048);
        assertEquals("32.0 GB/s by the C library, 8.0 GB/s by the JVM", trial.toString());
    }

    private void run(long jvmNs, long nativeNs) {
        while (trial.isRunning()) {
            trial.took(trial.isNextNative() ? nativeNs : jvmNs, BYTES);
        }
    }

    private int pause() {
        int copies = 0;
        for (; !trial.isRunning(); copies++) {
            assertEquals(trial.isNative(), trial.isNextNative());
            trial.skip();
        }
        return copies;
    }
}

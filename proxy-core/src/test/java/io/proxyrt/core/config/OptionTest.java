/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.ThreadingMode;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class OptionTest {
    @ParameterizedTest
    @CsvSource({"PT30S, 30s", "PT0.25S, 250ms", "PT0.0001S, 100us", "PT0S, 0s", "PT1.000000001S, PT1.000000001S",
        "PT2M, 120s"})
    void shouldWriteTimesAsUsersDo(Duration time, String text) {
        Option<Duration> option = Option.ofDuration("time", "", time, "a time");
        assertEquals(text, option.text(time));
        assertEquals(time, option.parse(text, "a test"));
    }

    @ParameterizedTest
    @CsvSource({"0, 0", "-1, -1", "1000, 1000", "1024, 1K", "1536, 1536", "65536, 64K", "3145728, 3M",
        "1073741824, 1G"})
    void shouldWriteBytesAsUsersDo(long bytes, String text) {
        Option<Long> option = Option.ofBytes("bytes", "", bytes, -1, Long.MAX_VALUE, "bytes");
        assertEquals(text, option.text(bytes));
        assertEquals(bytes, option.parse(text, "a test"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"9223372036854775807s", "9223372036854775807ms", "153722867280912930m", "p1000000d"})
    void shouldTakeTimesThatFitInNanoseconds(String text) {
        assertEquals(Duration.ofDays(36_500), Option.ofDuration("time", "", Duration.ZERO, "").parse(text, "a test"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"9223372036854775807m", "-9223372036854775807m", "-1s", "9223372036854775808s", "1h", "s"})
    void shouldSayWhatIsWrongWithATime(String text) {
        ProxyException failure = assertThrows(ProxyException.class,
                () -> Option.ofDuration("time", "", Duration.ZERO, "").parse(text, "a test"));
        assertEquals(ProxyResult.INVALID_ARGUMENT, failure.result());
        assertTrue(failure.getMessage().startsWith("proxyrt.time (from a test) is '" + text + "': "),
                failure.getMessage());
    }

    @Test
    void shouldSayWhichValuesThereAre() {
        assertEquals("1..64", Option.ofInt("n", "", 1, 1, 64, "").values());
        assertEquals("bytes, 1K..1G", Option.ofBytes("b", "", 1024, 1 << 10, 1 << 30, "").values());
        assertEquals("bytes, -1 or more", Option.ofBytes("b", "", 1024, -1, Long.MAX_VALUE, "").values());
        assertEquals("dedicated, shared_control, shared, invoker, auto",
                Option.ofEnum("m", "", ThreadingMode.AUTO, "").values());
        assertEquals("0, 1", Option.ofBoolean("b", "", true, "").values());
    }

    @Test
    void shouldAddWhatItIsToldAndKeepTheRest() {
        Option<Integer> plain = Option.ofInt("n", "NCCL_N", 1, 1, 64, "a number");
        Option<Integer> told = plain.scope(Option.Scope.JOB).when("it rains");
        assertEquals("RANK ''", plain.scope() + " '" + plain.when() + "'");
        assertEquals("JOB it rains proxyrt.n NCCL_N 1 1..64 a number", String.join(" ", told.scope().name(),
                told.when(), told.key(), told.alias(), told.text(told.defaultValue()), told.values(),
                told.description()));
    }
}

/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.diagnosis.Diagnosis;
import io.proxyrt.core.diagnosis.Reason;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

class StallWatchTest {
    private static final long SECOND_NS = 1_000_000_000;
    private static final Optional<Diagnosis> STOPPED = Optional.of(
            new Diagnosis("a job", Reason.STOPPED, List.of(3), "rank 3 is stopped", List.of()));
    private static final String TEXT = "rank 0: nothing has moved for 5000 ms: rank 3 is stopped";

    private final List<String> told = new ArrayList<>();
    private final List<String> noted = new ArrayList<>();
    private int looks;

    private StallWatch watch(Duration threshold, boolean isAborting, Supplier<Optional<Diagnosis>> look) {
        StallWatch watch = new StallWatch("rank 0", threshold, isAborting, () -> {
            looks++;
            return look.get();
        }, new StallWatch.Notes() {
            @Override
            public void standing(long ms) {
                noted.add("standing " + ms);
            }

            @Override
            public void resumed(long ms) {
                noted.add("resumed " + ms);
            }

            @Override
            public void stuck(Diagnosis found, long ms) {
                noted.add(found.reason().ordinal() + " " + found.culprits().getFirst() + " " + ms);
            }
        });
        watch.onStall(told::add);
        return watch;
    }

    @Test
    void shouldTellOnceForEachStall() {
        StallWatch watch = watch(Duration.ofSeconds(5), false, () -> STOPPED);
        assertNull(watch.look(5 * SECOND_NS - 1));
        assertEquals(0, looks);
        assertNull(watch.look(5 * SECOND_NS));
        assertNull(watch.look(6 * SECOND_NS));
        assertEquals(List.of(TEXT), told);
        assertEquals(List.of("standing 4999", Reason.STOPPED.ordinal() + " 3 5000"), noted);
        assertNull(watch.look(0));
        assertEquals("resumed 4999", noted.getLast());
        assertNull(watch.look(5 * SECOND_NS));
        assertEquals(List.of(TEXT, TEXT), told);
        assertEquals(2, looks);
    }

    @Test
    void shouldEndTheCommunicatorOnlyIfAsked() {
        ProxyException end = watch(Duration.ofSeconds(5), true, () -> STOPPED).look(5 * SECOND_NS);
        assertEquals(ProxyResult.TIMEOUT, end.result());
        assertEquals(TEXT, end.getMessage());
    }

    @Test
    void shouldSayNothingWhereNothingIsFound() {
        Diagnosis none = new Diagnosis("a job", Reason.NONE, List.of(), "all move", List.of());
        for (Supplier<Optional<Diagnosis>> look : List.<Supplier<Optional<Diagnosis>>>of(Optional::empty,
                () -> Optional.of(none), () -> {
                    throw new ProxyException(ProxyResult.SYSTEM_ERROR, "no such folder");
                })) {
            StallWatch watch = watch(Duration.ofSeconds(5), true, look);
            assertNull(watch.look(5 * SECOND_NS));
            assertEquals("", watch.why());
        }
        assertEquals(List.of(), told);
        assertEquals(6, looks);
    }

    @Test
    void shouldNeverLookIfTurnedOffButForATimeout() {
        StallWatch watch = watch(Duration.ZERO, true, () -> STOPPED);
        assertNull(watch.look(Long.MAX_VALUE - 1));
        assertEquals(0, looks);
        assertEquals(": rank 3 is stopped", watch.why());
    }
}

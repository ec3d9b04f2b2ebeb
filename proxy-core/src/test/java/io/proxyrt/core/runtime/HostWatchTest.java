/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.runtime;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.ThreadingMode;
import org.junit.jupiter.api.Test;

class HostWatchTest {
    private static final HostLoad TWO_ON_TWO = new HostLoad(2, 2, 0, false);

    private int alive = 2;
    private int looks;

    @Test
    void shouldSeeOthersComeAndGo() {
        HostWatch watch = watch(ThreadingMode.AUTO);
        assertFalse(watch.choice().isOversubscribed());
        alive = 4;
        assertFalse(watch.choice().isOversubscribed(), "before it looks");
        watch.look();
        assertTrue(watch.choice().isOversubscribed());
        assertEquals(new HostLoad(2, 2, 2, false), watch.choice().load());
        alive = 2;
        watch.look();
        assertFalse(watch.choice().isOversubscribed());
        assertEquals(ThreadingChoice.of(ThreadingMode.AUTO, false, TWO_ON_TWO), watch.choice());
    }

    @Test
    void shouldCountRanksThatHaveNotStartedOrEndedForNothing() {
        HostWatch watch = watch(ThreadingMode.AUTO);
        ThreadingChoice before = watch.choice();
        alive = 1;
        watch.look();
        assertSame(before, watch.choice());
    }

    @Test
    void shouldNotLookWhereTheModeWasAskedFor() {
        HostWatch watch = watch(ThreadingMode.INVOKER);
        alive = 40;
        watch.look();
        assertEquals(0, looks);
        assertFalse(watch.choice().isOversubscribed());
    }

    @Test
    void shouldKeepWhatItSawAsLongAsItCannotLook() {
        HostWatch watch = watch(ThreadingMode.AUTO);
        alive = 4;
        watch.look();
        alive = -1;
        watch.look();
        assertTrue(watch.choice().isOversubscribed());
        alive = 2;
        watch.look();
        assertFalse(watch.choice().isOversubscribed());
    }

    private HostWatch watch(ThreadingMode mode) {
        return new HostWatch(0, ThreadingChoice.of(mode, false, TWO_ON_TWO), this::look);
    }

    private int look() {
        looks++;
        if (alive < 0) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, "the folder is another user's");
        }
        return alive;
    }
}

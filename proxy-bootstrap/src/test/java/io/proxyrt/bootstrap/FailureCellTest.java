/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bootstrap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class FailureCellTest {
    private final ProxyException first = new ProxyException(ProxyResult.REMOTE_ERROR, "first");
    private final ProxyException second = new ProxyException(ProxyResult.REMOTE_ERROR, "second");
    private final FailureCell cell = new FailureCell();
    private final List<ProxyException> told = new ArrayList<>();

    @Test
    void shouldKeepTheFirst() {
        assertTrue(cell.fail(first));
        assertFalse(cell.fail(second));
        assertFalse(cell.failOwn(second));

        assertSame(first, cell.failure().orElseThrow());
    }

    @Test
    void shouldTellEachListenerOnce() {
        cell.onFailure(told::add);
        cell.fail(first);
        cell.onFailure(told::add);
        cell.tell();
        cell.tell();

        assertEquals(List.of(first, first), told);
    }

    @Test
    void shouldTellTheOthersWhenOneListenerFails() {
        cell.onFailure(e -> {
            throw new IllegalStateException("a listener's bug");
        });
        cell.onFailure(told::add);
        cell.fail(first);
        cell.tell();

        assertEquals(List.of(first), told);
    }

    @Test
    void shouldNotTellItsListenerOfItsOwnFailure() {
        cell.onFailure(told::add);
        cell.failOwn(first);
        cell.onFailure(told::add);
        cell.tell();

        assertEquals(List.of(), told);
        assertSame(first, cell.failure().orElseThrow());
    }
}

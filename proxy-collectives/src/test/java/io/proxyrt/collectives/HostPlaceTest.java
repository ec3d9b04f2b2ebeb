/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;

/** What a rank says of its host. */
class HostPlaceTest {
    @Test
    void shouldTellEachProblemOnceInAProcess() {
        assertEquals(List.of("HostPlaceTest: one", "HostPlaceTest: two"),
                HostPlace.untold(List.of("HostPlaceTest: one", "HostPlaceTest: two")));
        assertEquals(List.of("HostPlaceTest: three"),
                HostPlace.untold(List.of("HostPlaceTest: two", "HostPlaceTest: three")));
    }
}

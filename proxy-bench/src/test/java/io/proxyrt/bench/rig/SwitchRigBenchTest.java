/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.rig;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

class SwitchRigBenchTest {
    @Test
    void shouldMeasureEachNumberOfParticipants() throws Exception {
        String printed = NetRigsBenchTest.printed(RigMain.measure("switch", new RigArguments(List.of("pinned=false",
                "warmup=0.01", "seconds=0.01", "participants=2,3"))));
        for (String metric : List.of("sum_gbs", "reduce_gbs", "of_sum", "switch_gbs", "system")) {
            assertTrue(printed.contains("R\t2\t" + metric + '\t') && printed.contains("R\t3\t" + metric + '\t'),
                    printed);
        }
    }
}

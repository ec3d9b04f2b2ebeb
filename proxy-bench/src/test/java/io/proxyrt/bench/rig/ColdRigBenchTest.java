/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.rig;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.util.List;
import org.junit.jupiter.api.Test;

class ColdRigBenchTest {
    @Test
    void shouldTellWhenTheFirstCallWasDoneAndWhenCallsWereSteady() throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ColdRig.measure(new RigArguments(List.of("aot=false", "seconds=4", "coll.transport=SHM")))
                .print(new PrintStream(out, true));
        for (String metric : List.of("boot_ms", "first_ms", "steady_ms", "steady_us")) {
            assertTrue(out.toString().contains("\t" + metric + "\t"), metric + " in " + out);
        }
    }
}

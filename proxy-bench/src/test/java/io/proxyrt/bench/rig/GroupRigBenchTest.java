/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.rig;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GroupRigBenchTest {
    /** The rig checks what comes of the calls, at every rank. */
    @ParameterizedTest
    @CsvSource({"all_reduce, 2, SHM", "all_reduce, 4, NET", "sendrecv, 4, SHM", "sendrecv, 2, NET"})
    void shouldMakeAllCallsInAGroupAndOneByOne(String call, int ranks, String transport) throws Exception {
        String printed = NetRigsBenchTest.printed(RigMain.measure("groups", new RigArguments(List.of("call=" + call,
                "ranks=" + ranks, "coll.transport=" + transport, "proxyrt.threading=invoker", "calls=64", "bytes=4096",
                "pinned=false", "warmup=0.01", "seconds=0.01"))));
        for (String metric : List.of("single_us", "group_us", "gain")) {
            assertTrue(printed.contains("R\t" + metric + '\t'), printed);
        }
    }
}

/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.rig;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ShmRigsBenchTest {
    private static final List<String> BRIEFLY = List.of("pinned=false", "warmup=0.01", "seconds=0.01");

    @ParameterizedTest
    @ValueSource(strings = {"simple", "ll", "ll128"})
    void shouldGetEveryMessageBackFromTheKernelOfAnotherProcess(String protocol) throws Exception {
        String printed = NetRigsBenchTest.printed(
                RigMain.measure("shmrtt", arguments("sizes=8,4096", "protocol=" + protocol)));
        assertTrue(printed.contains("R\t8\trtt_p50\t") && printed.contains("R\t4096\trtt_p50\t"), printed);
    }

    @Test
    void shouldGetEveryMessageOfACommunicatorBack() throws Exception {
        String printed = NetRigsBenchTest.printed(RigMain.measure("commrtt", arguments("sizes=8",
                "registered=false", "apart=false", "coll.transport=SHM", "proxyrt.threading=invoker")));
        assertTrue(printed.contains("R\t8\trtt_p50\t"), printed);
    }

    @ParameterizedTest
    @CsvSource({"true, false", "false, false", "true, true", "false, true"})
    void shouldStreamThroughSharedMemory(String isRegistered, String isApart) throws Exception {
        String printed = NetRigsBenchTest.printed(RigMain.measure("commstream", arguments(
                "sizes=65536,4194304", "registered=" + isRegistered, "apart=" + isApart, "coll.transport=SHM",
                "proxyrt.threading=invoker")));
        assertTrue(printed.contains("R\t65536\tgbs\t") && printed.contains("R\t4194304\tgbs\t"), printed);
    }

    @ParameterizedTest
    @ValueSource(strings = {"true", "false"})
    void shouldTakeWhatTheProxyCopied(String isAlone) throws Exception {
        String printed = NetRigsBenchTest.printed(new ShmCopyRig(arguments("sizes=16384", "alone=" + isAlone,
                "shm.use.memcpy=1")).measure());
        assertTrue(printed.contains("R\t16384\tgbs\t"), printed);
    }

    private static RigArguments arguments(String... words) {
        List<String> all = new ArrayList<>(BRIEFLY);
        all.addAll(List.of(words));
        return new RigArguments(all);
    }
}

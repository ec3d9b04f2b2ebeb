/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.rig;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.proxyrt.testkit.plugin.TcpNetPlugin;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class NetRigsBenchTest {
    private static final List<String> BRIEFLY = List.of("pinned=false", "sizes=8,65536", "warmup=0.01", "seconds=0.01");

    @Test
    void shouldGetEveryMessageBackFromAnotherProcess() throws Exception {
        String printed = printed(RigMain.measure("netrtt", new RigArguments(BRIEFLY)));
        assertTrue(printed.contains("R\t8\trtt_p50\t"), printed);
        assertTrue(printed.contains("R\t65536\trtt_p50\t"), printed);
    }

    @Test
    void shouldStreamFromAnotherProcess() throws Exception {
        String printed = printed(RigMain.measure("netstream", new RigArguments(BRIEFLY)));
        assertTrue(printed.contains("R\t65536\tgbs\t"), printed);
    }

    @Test
    void shouldAskManyConnectionsAtOnce() throws Exception {
        String printed = printed(new NetPollRig(new RigArguments(List.of("pinned=false", "sizes=1,16", "warmup=0.01",
                "seconds=0.01", "batch=true"))).measure());
        assertTrue(printed.contains("R\t16\tone_p50\t") && printed.contains("R\t16\tnone_ns\t"), printed);
    }

    @Test
    void shouldDoTheSameOverAPlugIn() throws Exception {
        assumeTrue(TcpNetPlugin.whyNot().isEmpty(), TcpNetPlugin::whyNot);
        List<String> words = new ArrayList<>(BRIEFLY);
        words.add("net.plugin=" + TcpNetPlugin.library(11));
        RigArguments arguments = new RigArguments(words);
        String printed = printed(RigMain.measure("netrtt", arguments))
                + printed(RigMain.measure("netstream", arguments)) + printed(RigMain.measure("netcalls", arguments));
        assertTrue(printed.contains("R\t8\trtt_p50\t") && printed.contains("R\t65536\tgbs\t")
                && printed.contains("R\t1\ttest_ns\t"), printed);
    }

    @Test
    void shouldNoticeMessagesThatAreLostOrChanged() {
        MemorySegment message = MemorySegment.ofArray(new long[1]);
        StreamCheck.number(message, 0, 7, false);
        assertFalse(StreamCheck.isLast(message, 0, 7));
        assertThrows(IllegalStateException.class, () -> StreamCheck.isLast(message, 0, 6));
        StreamCheck.number(message, 0, 7, true);
        assertTrue(StreamCheck.isLast(message, 0, 7));
        assertThrows(IllegalStateException.class, () -> StreamCheck.compare("1f", "1e", 8));
    }

    static String printed(Measurements found) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        found.print(new PrintStream(out, true, StandardCharsets.UTF_8));
        return out.toString(StandardCharsets.UTF_8);
    }
}

/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.runtime;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.platform.CpuQuota;
import java.nio.ByteBuffer;
import java.util.BitSet;
import java.util.Map;
import org.junit.jupiter.api.Test;

class HostLoadTest {
    @Test
    void shouldCountTheRanksOfAHostAndMostOfTheOthersSeenThere() {
        byte[][] all = {told(7, 1, 0, 16), told(8, 5, 0, 4), told(7, 3, 0, 16), told(7, 0, 0, 16)};
        assertEquals(new HostLoad(16, 3, 3, false), HostLoad.of(all, 0));
        assertEquals(new HostLoad(4, 1, 5, false), HostLoad.of(all, 1));
        assertEquals(new HostLoad(16, 3, 3, false), HostLoad.of(all, 3));
    }

    /** Whether ranks share CPUs or have their own, as those that a launcher binds, makes a difference. */
    @Test
    void shouldCountEachCpuOnce() {
        byte[][] bound = {told(7, 0, 0, 4), told(7, 0, 4, 8), told(7, 0, 8, 12)};
        assertEquals(new HostLoad(12, 3, 0, false), HostLoad.of(bound, 1));
        assertFalse(HostLoad.of(bound, 1).isCrowded());

        byte[][] inTurn = {told(7, 0, 0, 1), told(7, 0, 1, 2), told(7, 0, 0, 1)};
        assertEquals(new HostLoad(2, 3, 0, false), HostLoad.of(inTurn, 0));
        assertTrue(HostLoad.of(inTurn, 0).isCrowded());
    }

    @Test
    void shouldCallAHostRationedIfOneRankIs() {
        byte[][] all = {told(7, 0, 0, 2), told(7, 0, 0, 2), told(8, 0, 0, 2)};
        all[1][12] = 1;
        assertTrue(HostLoad.of(all, 0).isRationed());
        assertFalse(HostLoad.of(all, 2).isRationed());
    }

    @Test
    void shouldNameARankThatTellsSomethingElse() {
        byte[][] all = {told(7, 0, 0, 4), new byte[3]};
        String message = assertThrows(ProxyException.class, () -> HostLoad.of(all, 0)).getMessage();
        assertTrue(message.startsWith("rank 1 told 3 bytes"), message);
    }

    @Test
    void shouldTellWhatItSees() {
        ProxyConfig config = ProxyConfig.builder().properties(Map.of()).environment(Map.of())
                .set(CoreOptions.HOST_ID, "here").build();
        HostLoad alone = HostLoad.of(new byte[][] {HostLoad.told(config)}, 0);
        int cpus = (int) Math.max(1, Math.min(CpuQuota.find(), Runtime.getRuntime().availableProcessors()));
        assertEquals(cpus, alone.cpus());
        assertEquals(1, alone.ranks());
        assertEquals(0, alone.others());
    }

    private static byte[] told(long host, int others, int firstCpu, int endCpu) {
        BitSet cpus = new BitSet();
        cpus.set(firstCpu, endCpu);
        byte[] mask = cpus.toByteArray();
        return ByteBuffer.allocate(13 + mask.length).putLong(host).putInt(others).put((byte) 0).put(mask).array();
    }
}

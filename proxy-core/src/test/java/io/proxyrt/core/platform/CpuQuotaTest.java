/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.platform;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CpuQuotaTest {
    private static final double NONE = Double.POSITIVE_INFINITY;
    private static final String UNIFIED = "0::/pods/pod-1/box\n";
    private static final String LEGACY = "4:memory:/x\n3:cpu,cpuacct:/pods/pod-1\n1:cpuset:/y\n0::/\n";

    @TempDir
    private Path groups;

    @Test
    void shouldReadTheQuotaOfTheOwnGroup() throws IOException {
        write("pods/pod-1/box/cpu.max", "150000 100000\n");
        assertEquals(1.5, CpuQuota.find(UNIFIED, groups));
        write("pods/pod-1/box/cpu.max", "max 100000\n");
        assertEquals(NONE, CpuQuota.find(UNIFIED, groups));
    }

    @Test
    void shouldTakeTheLeastOfTheGroupsAround() throws IOException {
        write("pods/pod-1/box/cpu.max", "400000 100000\n");
        write("pods/pod-1/cpu.max", "50000 100000\n");
        write("pods/cpu.max", "800000 100000\n");
        assertEquals(0.5, CpuQuota.find(UNIFIED, groups));
    }

    @Test
    void shouldReadTheGroupThatAContainerSeesAsTheRoot() throws IOException {
        write("cpu.max", "250000 100000\n");
        assertEquals(2.5, CpuQuota.find("0::/\n", groups));
        assertEquals(2.5, CpuQuota.find(UNIFIED, groups));
    }

    @Test
    void shouldReadControlGroupsOfTheFirstVersion() throws IOException {
        write("cpu/pods/pod-1/cpu.cfs_quota_us", "75000\n");
        write("cpu/pods/pod-1/cpu.cfs_period_us", "50000\n");
        assertEquals(1.5, CpuQuota.find(LEGACY, groups));
        write("cpu/pods/pod-1/cpu.cfs_quota_us", "-1\n");
        assertEquals(NONE, CpuQuota.find(LEGACY, groups));
    }

    @Test
    void shouldTakeNonsenseForNoQuota() throws IOException {
        assertEquals(NONE, CpuQuota.find("", groups));
        assertEquals(NONE, CpuQuota.find("nonsense\n::\n0::/../../../etc\n", groups));
        write("cpu.max", "a lot\n");
        assertEquals(NONE, CpuQuota.find("0::/\n", groups));
        write("cpu.max", "100 0\n");
        assertEquals(NONE, CpuQuota.find("0::/\n", groups));
    }

    @Test
    void shouldFindSomeOfThisProcess() {
        assertTrue(CpuQuota.find() > 0);
    }

    private void write(String file, String text) throws IOException {
        Path path = groups.resolve(file);
        Files.createDirectories(path.getParent());
        Files.writeString(path, text);
    }
}

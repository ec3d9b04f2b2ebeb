/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.platform;

import java.nio.file.Path;

/** How much CPU time a container may use: its control group's quota, or that of one that it is part of. */
public final class CpuQuota {
    private static final Path GROUPS = Path.of("/sys/fs/cgroup");
    private static final Path OWN = Path.of("/proc/self/cgroup");
    private static final int FIELDS = 3;

    private CpuQuota() {
    }

    /**
     * Reads it anew.
     *
     * @return in CPUs, such as 1.5; infinite if there is none, or the system does not say
     */
    public static double find() {
        return find(Sysfs.text(OWN), GROUPS);
    }

    /** A container may see its own group where the root is, whatever path the kernel says: both are asked. */
    static double find(String own, Path groups) {
        double least = Double.POSITIVE_INFINITY;
        for (String line : own.split("\n")) {
            String[] fields = line.split(":", FIELDS);
            if (fields.length == FIELDS && fields[1].isEmpty()) {
                least = Math.min(least, inTree(groups, fields[2], CpuQuota::unified));
            } else if (fields.length == FIELDS && ("," + fields[1] + ",").contains(",cpu,")) {
                least = Math.min(least, inTree(groups.resolve("cpu"), fields[2], CpuQuota::legacy));
            }
        }
        return least;
    }

    /** Of one group, without those around it. */
    @FunctionalInterface
    private interface Quota {
        double of(Path group);
    }

    private static double inTree(Path root, String own, Quota quota) {
        double least = quota.of(root);
        Path group = root.resolve(own.replaceFirst("^/+", "")).normalize();
        for (; group.startsWith(root) && !group.equals(root); group = group.getParent()) {
            least = Math.min(least, quota.of(group));
        }
        return least;
    }

    private static double unified(Path group) {
        String[] words = Sysfs.text(group.resolve("cpu.max")).split(" ");
        return words.length == 2 ? cpus(Sysfs.number(words[0], 0), Sysfs.number(words[1], 0))
                : Double.POSITIVE_INFINITY;
    }

    private static double legacy(Path group) {
        return cpus(Sysfs.number(group.resolve("cpu.cfs_quota_us"), 0),
                Sysfs.number(group.resolve("cpu.cfs_period_us"), 0));
    }

    private static double cpus(long quotaUs, long periodUs) {
        return quotaUs > 0 && periodUs > 0 ? (double) quotaUs / periodUs : Double.POSITIVE_INFINITY;
    }
}

/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.rig;

import com.sun.management.OperatingSystemMXBean;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;

/**
 * Strangers in a JVM of their own, that use no more than a share of one CPU: they sleep as long as their process,
 * compiler and collector included, has used more. They attack between a line on the input and the next one.
 */
final class AttackMain {
    private final OperatingSystemMXBean process =
            (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    private final Attacks attacks;
    private final double share;
    private volatile boolean isOver;
    private volatile Exception failure;

    private AttackMain(Attacks attacks, double share) {
        this.attacks = attacks;
        this.share = share;
    }

    /** Arguments: address of the service, share of one CPU. */
    public static void main(String[] words) throws Exception {
        try (Attacks attacks = new Attacks(Addresses.parse(words[0]));
                BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            System.out.println("ready");
            while (in.readLine() != null) {
                new AttackMain(attacks, Double.parseDouble(words[1])).attackUntilLine(in);
            }
        }
    }

    private void attackUntilLine(BufferedReader in) throws Exception {
        long attacked = attacks.count();
        long wallNs = System.nanoTime();
        long cpuNs = process.getProcessCpuTime();
        Thread thread = Thread.ofPlatform().daemon().name("attacker").start(() -> attack(wallNs, cpuNs));
        System.out.println("attacking");
        in.readLine();
        isOver = true;
        if (!thread.join(Rank.PATIENCE)) {
            throw new IllegalStateException("an attack hangs");
        }
        if (failure != null) {
            throw failure;
        }
        attacks.rest();
        System.out.println(attacks.count() - attacked + " " + (process.getProcessCpuTime() - cpuNs) + " "
                + (System.nanoTime() - wallNs));
    }

    private void attack(long wallNs, long cpuNs) {
        try {
            while (!isOver) {
                attacks.next();
                while (!isOver && process.getProcessCpuTime() - cpuNs > share * (System.nanoTime() - wallNs)) {
                    TimeUnit.MILLISECONDS.sleep(1);
                }
            }
        } catch (IOException | InterruptedException | RuntimeException e) {
            failure = e;
        }
    }
}

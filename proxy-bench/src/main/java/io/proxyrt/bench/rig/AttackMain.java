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
 * compiler and collector included, has used more. They attack between a line on the input and the next one; or, if
 * that line says so, they only compute, to tell what a service suffers from an attack and what from a neighbour.
 */
final class AttackMain {
    /** What they are told for the one. */
    static final String ATTACK = "attack";
    /** What they are told for the other. */
    static final String COMPUTE = "compute";
    /** About what an attack takes. */
    private static final long COMPUTE_NS = 500_000;

    private final OperatingSystemMXBean process =
            (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    private final Attacks attacks;
    private final double share;
    private final boolean isComputing;
    private volatile boolean isOver;
    private volatile Exception failure;

    private AttackMain(Attacks attacks, double share, boolean isComputing) {
        this.attacks = attacks;
        this.share = share;
        this.isComputing = isComputing;
    }

    /** Argument: address of the service. Orders on the input: what to do, a blank, share of one CPU. */
    public static void main(String[] words) throws Exception {
        try (Attacks attacks = new Attacks(Addresses.parse(words[0]));
                BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            System.out.println("ready");
            for (String what = in.readLine(); what != null; what = in.readLine()) {
                String[] order = what.split(" ");
                new AttackMain(attacks, Double.parseDouble(order[1]), order[0].equals(COMPUTE)).attackUntilLine(in);
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

    private static void compute() {
        long start = System.nanoTime();
        while (System.nanoTime() - start < COMPUTE_NS) {
            Thread.onSpinWait();
        }
    }

    private void attack(long wallNs, long cpuNs) {
        try {
            while (!isOver) {
                if (isComputing) {
                    compute();
                } else {
                    attacks.next();
                }
                while (!isOver && process.getProcessCpuTime() - cpuNs > share * (System.nanoTime() - wallNs)) {
                    TimeUnit.MILLISECONDS.sleep(1);
                }
            }
        } catch (IOException | InterruptedException | RuntimeException e) {
            failure = e;
        }
    }
}

/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.rig;

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.SocketAddress;
import java.util.concurrent.TimeUnit;

/**
 * Unauthenticated peers in a JVM of their own, that use no more than a share of one CPU: they sleep as long as their
 * process, compiler and collector included, has used more. They attack from one order to the next. If the order says
 * so, they only compute, to tell what a service suffers from an attack and what from a neighbour.
 */
final class Attackers implements Peer {
    /** The order for the one. */
    static final String ATTACK = "attack";
    /** The order for the other. */
    static final String COMPUTE = "compute";
    /** The order that ends both. */
    static final String REST = "rest";

    /** About what an attack takes. */
    private static final long COMPUTE_NS = 500_000;

    private final OperatingSystemMXBean process =
            (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    private final Attacks attacks;
    private Thread thread;
    private long attacked;
    private long wallNs;
    private long cpuNs;
    private volatile boolean isOver;
    private volatile Exception failure;

    Attackers(SocketAddress service, Talk rig) {
        attacks = new Attacks(service);
        rig.tell("ready");
    }

    /** What to do, then the share of one CPU; or to rest. */
    @Override
    public void obey(String[] order, Talk rig) {
        if (order[0].equals(REST)) {
            rest();
            rig.tell(attacks.count() - attacked + " " + (process.getProcessCpuTime() - cpuNs) + " "
                    + (System.nanoTime() - wallNs));
            return;
        }
        double share = Double.parseDouble(order[1]);
        boolean isComputing = order[0].equals(COMPUTE);
        isOver = false;
        attacked = attacks.count();
        wallNs = System.nanoTime();
        cpuNs = process.getProcessCpuTime();
        thread = Thread.ofPlatform().daemon().name("attacker").start(() -> attack(share, isComputing));
        rig.tell("attacking");
    }

    private void rest() {
        isOver = true;
        try {
            if (!thread.join(Rank.PATIENCE)) {
                throw new IllegalStateException("an attack hangs");
            }
            attacks.rest();
        } catch (InterruptedException e) {
            throw new IllegalStateException("interrupted while an attack ends", e);
        }
        if (failure != null) {
            throw new IllegalStateException("an attack failed", failure);
        }
    }

    private static void compute() {
        long start = System.nanoTime();
        while (System.nanoTime() - start < COMPUTE_NS) {
            Thread.onSpinWait();
        }
    }

    private void attack(double share, boolean isComputing) {
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

    @Override
    public void close() {
        attacks.close();
    }
}

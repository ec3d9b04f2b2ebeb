/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.rig;

import io.proxyrt.core.agent.thread.CpuLatency;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** What a child JVM runs: one rig with one set of arguments; prints a line for each value. */
public final class RigMain {
    private RigMain() {
    }

    /**
     * Ways of idling that the rig {@code bursts} knows.
     *
     * @return their names
     */
    public static List<String> idleKinds() {
        return Arrays.stream(IdleKind.values()).map(kind -> kind.name().toLowerCase(Locale.ROOT)).toList();
    }

    /**
     * Measures.
     *
     * @param words the rig, then its arguments as {@code key=value}
     * @throws Exception what keeps the rig from measuring
     */
    public static void main(String[] words) throws Exception {
        List<String> rest = Arrays.asList(words).subList(1, words.length);
        RigArguments arguments = new RigArguments(rest);
        CpuLatency limit = arguments.cpuLatency();
        try {
            measure(words[0], arguments).print(System.out);
        } finally {
            if (limit != null) {
                limit.close();
            }
        }
    }

    private static Measurements measure(String rig, RigArguments arguments) throws Exception {
        return switch (rig) {
            case "throughput" -> new ThroughputRig(arguments).measure();
            case "paced" -> new PacedRig(arguments).measure();
            case "bursts" -> new BurstRig(arguments).measure();
            case "call" -> new CallRig(arguments).measure();
            case "getfd" -> new GetFdRig(arguments).measure();
            case "async" -> new AsyncRig(arguments).measure();
            case "setup" -> new SetUpRig(arguments).measure();
            case "pending" -> new PendingRig(arguments).measure();
            case "attack" -> new AttackRig(arguments).measure();
            case "netrtt" -> new NetRoundTripRig(arguments).measure();
            case "netpoll" -> new NetPollRig(arguments).measure();
            case "netstream" -> new NetStreamRig(arguments).measure();
            case "shmrtt" -> new ShmRoundTripRig(arguments).measure();
            case "shmcopy" -> new ShmCopyRig(arguments).measure();
            case "commrtt" -> new CommRoundTripRig(arguments).measure();
            case "commstream" -> new CommStreamRig(arguments).measure();
            case "gpupingpong" -> new GpuPingPongRig(arguments).measure();
            case "gpucomm" -> new GpuCommRig(arguments).measure();
            case "runtime" -> new RuntimeRig(arguments).measure();
            case "timer" -> new TimerRig().measure();
            case "jmh" -> new JmhRig(arguments).measure();
            default -> throw new IllegalArgumentException("no such rig: " + rig);
        };
    }
}

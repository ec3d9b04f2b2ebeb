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

    /** One rig. */
    static Measurements measure(String rig, RigArguments arguments) throws Exception {
        return switch (rig) {
            case "throughput" -> OpsRig.throughput(arguments);
            case "paced" -> OpsRig.paced(arguments);
            case "bursts" -> new BurstRig(arguments).measure();
            case "call" -> CallRig.call(arguments);
            case "getfd" -> CallRig.getFd(arguments);
            case "async" -> AsyncRig.measure(arguments);
            case "setup" -> new SetUpRig(arguments).measure();
            case "cold" -> ColdRig.measure(arguments);
            case "pending" -> RuntimeRig.pending(arguments);
            case "attack" -> AttackRig.measure(arguments);
            case "netrtt", "shmrtt", "commrtt" -> RoundTrips.measure(rig, arguments);
            case "netpoll" -> new NetPollRig(arguments).measure();
            case "netcalls" -> NetCallsRig.measure(arguments);
            case "netstream" -> NetStreamRig.measure(arguments);
            case "shmcopy" -> new ShmCopyRig(arguments).measure();
            case "commstream" -> CommStreamRig.measure(arguments);
            case "groups" -> GroupRig.measure(arguments);
            case "init" -> new InitRig(arguments).measure();
            case "meet" -> new MeetRig(arguments).measure();
            case "split" -> SplitRig.formation(arguments);
            case "beside" -> SplitRig.beside(arguments);
            case "switch" -> SwitchRig.measure(arguments);
            case "gpupingpong" -> new GpuPingPongRig(arguments).measure();
            case "gpucomm" -> GpuCommRig.measure(arguments);
            case "runtime" -> RuntimeRig.idle(arguments);
            case "timer" -> TimerRig.measure();
            case "jmh" -> JmhRig.measure(arguments);
            default -> throw new IllegalArgumentException("no such rig: " + rig);
        };
    }
}

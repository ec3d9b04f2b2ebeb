/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.jfr;

/**
 * Which events a recording wants now. Any thread; allocates nothing. An instance of each class answers for it: until
 * Flight Recorder starts its answer is a constant to the compiler, and from then on a load.
 */
public final class Jfr {
    /** A JVM that was linked for a program need not have it; then no class of an event may be loaded. */
    private static final boolean IS_THERE = ModuleLayer.boot().findModule("jdk.jfr").isPresent();

    private Jfr() {
    }

    /** {@return whether a recording wants ops that are posted} */
    public static boolean recordsPosts() {
        return IS_THERE && OpPostedEvent.PROBE.isEnabled();
    }

    /** {@return whether a recording wants ops} */
    public static boolean recordsOps() {
        return IS_THERE && OpEvent.PROBE.isEnabled();
    }

    /** {@return whether a recording wants steps} */
    public static boolean recordsSteps() {
        return IS_THERE && StepEvent.PROBE.isEnabled();
    }

    /** {@return whether a recording wants calls of communicators} */
    public static boolean recordsCollectives() {
        return IS_THERE && CollectiveEvent.PROBE.isEnabled();
    }

    /** {@return whether a recording wants calls of the service} */
    public static boolean recordsRpcCalls() {
        return IS_THERE && RpcCallEvent.PROBE.isEnabled();
    }

    /** {@return whether a recording wants file descriptors that are passed} */
    public static boolean recordsDescriptors() {
        return IS_THERE && DescriptorEvent.PROBE.isEnabled();
    }

    /** {@return whether a recording wants ops that stand still} */
    public static boolean recordsStalls() {
        return IS_THERE && StallEvent.PROBE.isEnabled();
    }

    /** {@return whether a recording wants callers that wait in vain} */
    public static boolean recordsStuck() {
        return IS_THERE && StuckEvent.PROBE.isEnabled();
    }

    /** {@return whether a recording wants connections that break and come back} */
    public static boolean recordsReconnects() {
        return IS_THERE && ReconnectEvent.PROBE.isEnabled();
    }

    /** {@return whether a recording wants failures} */
    public static boolean recordsErrors() {
        return IS_THERE && ErrorEvent.PROBE.isEnabled();
    }

    /** {@return whether a recording wants how communicators choose algorithms} */
    public static boolean recordsTuning() {
        return IS_THERE && TuningEvent.PROBE.isEnabled();
    }
}

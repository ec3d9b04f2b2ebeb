/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core;

import java.util.Locale;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What logs, by NCCL's names, which {@code NCCL_DEBUG_SUBSYS} takes. Each has one logger, {@code proxyrt.} and its name
 * in lower case; a part of one, such as {@code proxyrt.net.plugin}, is a logger below that. All that the runtime logs
 * goes to these, never for each op or message. {@code CALL}, {@code NVLS}, {@code PROFILE}, {@code RAS} and
 * {@code VERBS} are NCCL's, and log nothing here.
 */
public enum Subsystem {
    /** Which ranks take part, on what, and how it ends; and all that is told once when ranks come together. */
    INIT,
    /** What collectives do not find as they should. */
    COLL,
    /** Between GPUs. */
    P2P,
    /** Memory that ranks of a host share. */
    SHM,
    /** Networks, their plug-ins, and collectives that a network carries out. */
    NET,
    /** Rings. */
    GRAPH,
    /** Which algorithm and protocol is used up to which size, and which copy. */
    TUNING,
    /** Settings that are not the default. */
    ENV,
    /** Memory of connections and devices. */
    ALLOC,
    /** NCCL's calls. */
    CALL,
    /** The proxy's threads: progress, service and UDS, with their connections to other ranks. */
    PROXY,
    /** NCCL's multicast. */
    NVLS,
    /** Where ranks meet. */
    BOOTSTRAP,
    /** Memory of the user that is registered. */
    REG,
    /** NCCL's profiler plug-ins. */
    PROFILE,
    /** NCCL's RAS. */
    RAS,
    /** NCCL's calls of verbs. */
    VERBS;

    /** Above the loggers of all. */
    public static final String ROOT = "proxyrt";

    private final String loggerName = ROOT + "." + name().toLowerCase(Locale.ROOT);

    /**
     * The name of its logger.
     *
     * @return such as {@code proxyrt.net}
     */
    public String loggerName() {
        return loggerName;
    }

    /**
     * Its logger.
     *
     * @return to be kept, for it is looked up by name
     */
    public Logger logger() {
        return LoggerFactory.getLogger(loggerName);
    }

    /**
     * The logger of a part of it, whose level is that of the whole unless it has one of its own.
     *
     * @param part such as {@code plugin}
     * @return to be kept, for it is looked up by name
     */
    public Logger logger(String part) {
        return LoggerFactory.getLogger(loggerName + "." + part);
    }

    /**
     * The logger for what belongs to this and to another: NCCL tells such things if either is on. Here they are told
     * once, by this one if it is on at {@code INFO}.
     *
     * @param other the logger of the other, or of a part of it
     * @return one of the two; not to be kept, for levels change
     */
    public Logger loggerOr(Logger other) {
        Logger own = logger();
        return own.isInfoEnabled() ? own : other;
    }
}

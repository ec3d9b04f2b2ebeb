/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.contender;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Who takes part, by name. */
public final class Contenders {
    /** JCTools for one producer only. */
    public static final String JCTOOLS_SPSC = "jctools-spsc";
    /** RCCL's design with Java's lock. */
    public static final String LOCK_CONDITION = "lock-condition";
    /** The control: no op is posted, the rest is the same. */
    public static final String NO_POST = "no-post";

    private static final Map<String, Factory> PEERS = peers();

    private Contenders() {
    }

    @FunctionalInterface
    private interface Factory {
        OpsContender make(int producers, boolean parks);
    }

    private static Map<String, Factory> peers() {
        Map<String, Factory> peers = new LinkedHashMap<>();
        peers.put(LOCK_CONDITION, LockConditionContender::new);
        peers.put("jctools-mpsc", JcToolsContender::mpsc);
        peers.put(JCTOOLS_SPSC, JcToolsContender::spsc);
        peers.put("agrona", AgronaContender::new);
        peers.put("disruptor", DisruptorContender::new);
        peers.put("clq", LinkedQueueContender::new);
        peers.put("abq", (producers, parks) -> new JdkQueueContender(producers));
        return peers;
    }

    /**
     * All that can have so many producers.
     *
     * @param producers how many
     * @return ours first
     */
    public static List<String> names(int producers) {
        List<String> names = new ArrayList<>(PoolContender.kinds());
        names.addAll(PEERS.keySet());
        if (producers != 1) {
            names.remove(JCTOOLS_SPSC);
        }
        return names;
    }

    /**
     * Makes one.
     *
     * @param name      of {@link #names(int)}, or {@link #NO_POST}
     * @param producers how many will post
     * @param parks     whether its consumer will {@linkplain OpsContender#await() await} ops, so that posters wake it
     * @return empty, to be closed
     */
    public static OpsContender make(String name, int producers, boolean parks) {
        if (PoolContender.kinds().contains(name)) {
            return new PoolContender(name, producers);
        }
        if (name.equals(NO_POST)) {
            return new NoContender();
        }
        Factory factory = PEERS.get(name);
        if (factory == null) {
            throw new IllegalArgumentException("no such contender: " + name + "; there are " + names(1));
        }
        return factory.make(producers, parks);
    }
}

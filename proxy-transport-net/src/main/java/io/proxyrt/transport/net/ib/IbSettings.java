/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.ib;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.config.Option;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.transport.net.IbOptions;
import io.proxyrt.transport.net.MergeLevel;
import io.proxyrt.transport.net.NetOptions;
import java.util.List;
import java.util.function.Function;

/**
 * What the options say.
 *
 * @param rank      of the runtime
 * @param discovery which ports are devices
 * @param path      how queue pairs reach each other
 * @param data      how messages travel
 * @param failing   what is tried again, and what fails
 */
record IbSettings(int rank, Discovery discovery, Path path, Data data, Failing failing) {
    /** Which ports are used, and which of them are one device. */
    record Discovery(boolean isDisabled, HcaFilter filter, Merging merging) {
    }

    /** Which address a port has; partition, service level, traffic classes, times. */
    record Path(GidChoice gid, int pkeyIndex, int serviceLevel, int trafficClass, int fifoTrafficClass, int timeout,
            int retries) {
    }

    /**
     * Queue pairs for each port, and whether all carry each message; the least size beyond which the immediate goes
     * alone, and on which links (-2: InfiniBand); relaxed ordering (2: where it can); inline; flushes.
     */
    record Data(int pairsPerPort, boolean isSplit, long adaptiveThreshold, int adaptiveRouting, int relaxedOrdering,
            boolean isInline, boolean isFlushing, boolean isFlushForced) {
    }

    /**
     * Whether events of a port fail its connections; whether connections go on without queue pairs; which transitions
     * of a queue pair are tried again.
     */
    record Failing(boolean isFailingByEvent, boolean isFailingOver, boolean isRetryingAll, int retryCount,
            long retrySleepNs) {
    }

    static IbSettings of(ProxyConfig config, int rank) {
        return new IbSettings(rank,
                new Discovery(is(config, IbOptions.DISABLE), parsed(config, IbOptions.HCA, HcaFilter::parse),
                        merging(config)),
                new Path(new GidChoice(config.get(IbOptions.GID_INDEX), config.get(IbOptions.ROUTABLE_FLID_GID_INDEX),
                                config.get(IbOptions.ROCE_VERSION), config.get(IbOptions.ADDR_FAMILY),
                                parsed(config, IbOptions.ADDR_RANGE, Subnet::parse)),
                        config.get(IbOptions.PKEY), Math.max(0, config.get(IbOptions.SL)),
                        Math.max(0, config.get(IbOptions.TC)), config.get(IbOptions.FIFO_TC),
                        config.get(IbOptions.TIMEOUT), config.get(IbOptions.RETRY_COUNT)),
                new Data(config.get(IbOptions.QPS_PER_CONNECTION), is(config, IbOptions.SPLIT_DATA_ON_QPS),
                        config.get(IbOptions.AR_THRESHOLD), config.get(IbOptions.ADAPTIVE_ROUTING),
                        config.get(IbOptions.PCI_RELAXED_ORDERING), is(config, IbOptions.USE_INLINE),
                        !is(config, IbOptions.FLUSH_DISABLE), is(config, NetOptions.FORCE_FLUSH)),
                new Failing(is(config, IbOptions.RETURN_ASYNC_EVENTS), is(config, IbOptions.FAILOVER),
                        is(config, IbOptions.MQP_RETRY_ALL), config.get(IbOptions.MQP_RETRY_COUNT),
                        config.get(IbOptions.MQP_RETRY_SLEEP).toNanos()));
    }

    private static Merging merging(ProxyConfig config) {
        List<List<HcaFilter.Entry>> forced = parsed(config, IbOptions.FORCE_MERGE, Merging::parse);
        boolean isOfVirtuals = is(config, IbOptions.MERGE_VFS);
        return is(config, IbOptions.MERGE_NICS) ? new Merging(config.get(IbOptions.MERGE_LEVEL), isOfVirtuals, forced)
                : new Merging(MergeLevel.LOC, isOfVirtuals, List.of());
    }

    private static boolean is(ProxyConfig config, Option<Integer> option) {
        return config.get(option) == 1;
    }

    private static <T> T parsed(ProxyConfig config, Option<String> option, Function<String, T> parser) {
        String text = config.get(option);
        try {
            return parser.apply(text);
        } catch (IllegalArgumentException e) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, option + " or " + option.alias() + " is '" + text
                    + "': " + e.getMessage(), e);
        }
    }
}

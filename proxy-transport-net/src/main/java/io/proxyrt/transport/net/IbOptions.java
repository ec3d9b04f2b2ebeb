/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net;

import io.proxyrt.core.config.Option;
import io.proxyrt.core.config.OptionsProvider;
import java.time.Duration;
import java.util.List;

/** The options of the InfiniBand and RoCE network. Control connections go by those of {@link SocketOptions}. */
public final class IbOptions implements OptionsProvider {
    /** Of what kind a RoCE address is. */
    public enum Family {
        /** IPv4. */
        AF_INET,
        /** IPv6. */
        AF_INET6
    }

    /** Whether to do without. */
    public static final Option<Integer> DISABLE = Option.ofInt("net.ib.disable", "NCCL_IB_DISABLE", 0, 0, 1,
            "1: the IB network keeps out of it")
            .scope(Option.Scope.JOB)
            .when("adapters are there, and sockets shall be used nevertheless");
    /** Which ports to use. */
    public static final Option<String> HCA = Option.ofString("net.ib.hca", "NCCL_IB_HCA", "",
            "adapters, comma-separated prefixes with or without :port; a leading ^ excludes, = wants whole names")
            .when("a host has adapters that lead elsewhere, such as to storage");
    /** Which GID to use. */
    public static final Option<Integer> GID_INDEX = Option.ofInt("net.ib.gid.index", "NCCL_IB_GID_INDEX", -1, -1, 255,
            "GID of each port; -1: chosen")
            .when("the GID that is chosen does not reach the peers");
    /** Of what version a RoCE GID shall be. */
    public static final Option<Integer> ROCE_VERSION = Option.ofInt(
            "net.ib.roce.version", "NCCL_IB_ROCE_VERSION_NUM", 2, 1, 2,
            "version of RoCE of the GID that is chosen")
            .when("the fabric has RoCE v1 alone");
    /** Of what family a RoCE GID shall be. */
    public static final Option<Family> ADDR_FAMILY = Option.ofEnum(
            "net.ib.addr.family", "NCCL_IB_ADDR_FAMILY", Family.AF_INET,
            "address family of the GID that is chosen")
            .when("the RoCE network has IPv6 addresses");
    /** In which subnet a RoCE GID shall be. */
    public static final Option<String> ADDR_RANGE = Option.ofString("net.ib.addr.range", "NCCL_IB_ADDR_RANGE", "",
            "subnet of the GID that is chosen, such as 10.1.0.0/16; empty: any")
            .when("ports have addresses in several subnets");
    /** Which GID of an InfiniBand port leads to other subnets. */
    public static final Option<Integer> ROUTABLE_FLID_GID_INDEX = Option.ofInt(
            "net.ib.routable.flid.gid.index", "NCCL_IB_ROUTABLE_FLID_GID_INDEX", 1, 0, 255,
            "GID of an InfiniBand port, if it is routable by FLID; else 0 is used")
            .when("the subnet manager puts the routable GID elsewhere");
    /** How long an acknowledgement may take. */
    public static final Option<Integer> TIMEOUT = Option.ofInt("net.ib.timeout", "NCCL_IB_TIMEOUT", 20, 0, 31,
            "how long a queue pair waits for an acknowledgement: 4.096 us times two to the power of it; 0: for ever")
            .when("large or busy fabrics lose connections (higher)");
    /** How often a packet is sent again. */
    public static final Option<Integer> RETRY_COUNT = Option.ofInt("net.ib.retry.count", "NCCL_IB_RETRY_CNT", 7, 0, 7,
            "how often a packet is sent again before the peer is given up; soft-RoCE takes 7 for ever")
            .when("a broken way has to be noticed sooner (lower)");
    /** Which partition. */
    public static final Option<Integer> PKEY = Option.ofInt("net.ib.pkey", "NCCL_IB_PKEY", 0, 0, 65_535,
            "index of the partition key in the port's table")
            .when("the job has a partition of its own");
    /** Which service level. */
    public static final Option<Integer> SL = Option.ofInt("net.ib.sl", "NCCL_IB_SL", -1, -1, 15,
            "service level of what connections send; -1: 0")
            .when("the fabric has a service level for such data");
    /** Which traffic class. */
    public static final Option<Integer> TC = Option.ofInt("net.ib.tc", "NCCL_IB_TC", -1, -1, 255,
            "traffic class of what connections send; -1: 0")
            .when("the fabric keeps RoCE lossless by traffic class");
    /** Which traffic class of a receiver. */
    public static final Option<Integer> FIFO_TC = Option.ofInt("net.ib.fifo.tc", "NCCL_IB_FIFO_TC", -1, -1, 255,
            "traffic class of what receivers send, which tell that they are ready; -1: that of the connection")
            .when("control messages have a class of their own");
    /** Whether small messages go inline. */
    public static final Option<Integer> USE_INLINE = Option.ofInt("net.ib.use.inline", "NCCL_IB_USE_INLINE", 1, 0, 1,
            "1: up to 128 bytes go to the adapter within the work request, both of messages and of what tells that a "
            + "receiver is ready; NCCL's default is 0")
            .when("figures are to be compared with NCCL's default");
    /** From which size on the immediate goes alone. */
    public static final Option<Long> AR_THRESHOLD = Option.ofBytes(
            "net.ib.ar.threshold", "NCCL_IB_AR_THRESHOLD", 8192, 0, 1L << 31,
            "with adaptive routing, messages above this size are told of by a write of their own")
            .when("the fabric routes adaptively, and medium messages are slow");
    /** Whether packets may pass each other in the fabric. */
    public static final Option<Integer> ADAPTIVE_ROUTING = Option.ofInt(
            "net.ib.adaptive.routing", "NCCL_IB_ADAPTIVE_ROUTING", -2, -2, 1,
            "1: the fabric routes adaptively; -2: over InfiniBand it does, over RoCE not")
            .when("RoCE routes adaptively (1), or InfiniBand does not (0)");
    /** Whether the adapter's writes may pass each other. */
    public static final Option<Integer> PCI_RELAXED_ORDERING = Option.ofInt(
            "net.ib.pci.relaxed.ordering", "NCCL_IB_PCI_RELAXED_ORDERING", 2, 0, 2,
            "1: writes of the adapter to messages may pass each other on PCI; 0: not; 2: where it can")
            .when("a platform handles it badly (0), or virtual machines need it (1)");
    /** Queue pairs of a connection. */
    public static final Option<Integer> QPS_PER_CONNECTION = Option.ofInt(
            "net.ib.qps.per.connection", "NCCL_IB_QPS_PER_CONNECTION", 1, 1, 128,
            "queue pairs of a connection at each of its ports; the greater of both ends' numbers holds")
            .when("one queue pair does not fill the fabric, as with ECMP");
    /** Queue pairs of point-to-point connections. */
    public static final Option<Integer> QPS_PER_P2P = Option.ofInt("net.ib.qps.per.p2p", "RCCL_IB_QPS_PER_P2P", 0, 0, 0,
            "only 0: the network is not told what a connection is for, and goes by net.ib.qps.per.connection")
            .when("never");
    /** Whether each message goes by all queue pairs. */
    public static final Option<Integer> SPLIT_DATA_ON_QPS = Option.ofInt(
            "net.ib.split.data.on.qps", "NCCL_IB_SPLIT_DATA_ON_QPS", 0, 0, 1,
            "1: each message goes by all queue pairs of its connection; 0: they take turns")
            .when("there are several queue pairs, and single large messages matter");
    /** Whether virtual functions count as one adapter. */
    public static final Option<Integer> MERGE_VFS = Option.ofInt("net.ib.merge.vfs", "NCCL_IB_MERGE_VFS", 1, 0, 1,
            "1: virtual functions of one adapter belong together")
            .when("virtual functions have to count as adapters of their own");
    /** Whether ports of an adapter are one device. */
    public static final Option<Integer> MERGE_NICS = Option.ofInt("net.ib.merge.nics", "NCCL_IB_MERGE_NICS", 1, 0, 1,
            "1: up to four ports of one adapter are one device, and messages are spread over them; 0: each is one of "
            + "its own, whatever net.ib.merge.level and net.ib.force.merge say")
            .when("ports of an adapter have to be devices of their own");
    /** How far apart ports may be that are one device. */
    public static final Option<MergeLevel> MERGE_LEVEL = Option.ofEnum(
            "net.ib.merge.level", "NCCL_NET_MERGE_LEVEL", MergeLevel.PORT,
            "up to four ports that are as near are one device: LOC: none; PORT: of one adapter; beyond, of one link "
            + "layer and speed: PIX: at one PCI switch; PXB: at several; PHB: of a NUMA node; SYS: of the host")
            .when("each GPU has several adapters beside it, and channels are few");
    /** Which ports are one device, wherever they are. */
    public static final Option<String> FORCE_MERGE = Option.ofString(
            "net.ib.force.merge", "NCCL_NET_FORCE_MERGE", "",
            "ports that are one device, such as mlx5_0:1,mlx5_1:1;mlx5_2:1,mlx5_3:1; all of them have to be there")
            .when("net.ib.merge.level puts others together");
    /** Whether to warn of merged adapters. */
    public static final Option<Integer> WARN_RAIL_LOCAL = Option.ofInt(
            "net.ib.warn.rail.local", "NCCL_IB_WARN_RAIL_LOCAL", 0, 0, 1,
            "no effect: info net shows which ports are one device")
            .when("never");
    /** Whether events of an adapter are errors. */
    public static final Option<Integer> RETURN_ASYNC_EVENTS = Option.ofInt(
            "net.ib.return.async.events", "NCCL_IB_RETURN_ASYNC_EVENTS", 1, 0, 1,
            "1: connections fail when their port goes down, or their adapter fails; 0: when their messages do")
            .when("adapters report events that do no harm");
    /** Whether connections outlive their queue pairs. */
    public static final Option<Integer> FAILOVER = Option.ofInt(
            "net.ib.failover", "NCCL_IB_RESILIENCY_PORT_FAILOVER", 0, 0, 1,
            "1: where both ends want it, messages of a connection whose port or queue pairs fail go over TCP, until "
            + "there are queue pairs at ports that are up")
            .when("ports or cables fail, and the job should go on");
    /** Whether queue pairs exchange enhancements. */
    public static final Option<Integer> ECE_ENABLE = Option.ofInt("net.ib.ece.enable", "NCCL_IB_ECE_ENABLE", 0, 0, 1,
            "no effect: enhanced connection establishment is not used")
            .when("never");
    /** Whether Data Direct is used. */
    public static final Option<Integer> DATA_DIRECT = Option.ofInt("net.ib.data.direct", "NCCL_IB_DATA_DIRECT", 0, 0, 1,
            "no effect: Data Direct is not used")
            .when("never");
    /** Which failures of a transition are tried again. */
    public static final Option<Integer> MQP_RETRY_ALL = Option.ofInt(
            "net.ib.mqp.retry.all", "NCCL_IB_MQP_RETRY_ALL", 0, 0, 1,
            "1: a queue pair's transition is tried again whatever failed; 0: if the peer's address did not resolve")
            .when("connecting fails now and then for other reasons than addresses");
    /** How often a transition is tried again. */
    public static final Option<Integer> MQP_RETRY_COUNT = Option.ofInt(
            "net.ib.mqp.retry.count", "NCCL_IB_MQP_RETRY_CNT", 34, 0, 1 << 20,
            "how often a queue pair's transition is tried again, within proxyrt.connect.timeout")
            .when("addresses of peers resolve late, as in large fabrics");
    /** How long to wait before. */
    public static final Option<Duration> MQP_RETRY_SLEEP = Option.ofDuration(
            "net.ib.mqp.retry.sleep", "NCCL_IB_MQP_RETRY_SLEEP_MSEC", Duration.ofMillis(100),
            "wait before a queue pair's transition is tried again")
            .when("addresses of peers resolve late, as in large fabrics");
    /** Whether what was received into a GPU is flushed. */
    public static final Option<Integer> FLUSH_DISABLE = Option.ofInt(
            "net.ib.gdr.flush.disable", "NCCL_GDR_FLUSH_DISABLE", 0, 0, 1,
            "1: the network does not flush what it wrote to a GPU's memory")
            .when("the platform is known to keep data and flags in order");

    /** For {@link java.util.ServiceLoader}. */
    public IbOptions() {
    }

    @Override
    public String title() {
        return "The IB network";
    }

    @Override
    public List<Option<?>> options() {
        return List.of(DISABLE, HCA, GID_INDEX, ROCE_VERSION, ADDR_FAMILY, ADDR_RANGE, ROUTABLE_FLID_GID_INDEX,
                TIMEOUT, RETRY_COUNT, PKEY, SL, TC, FIFO_TC, USE_INLINE, AR_THRESHOLD, ADAPTIVE_ROUTING,
                PCI_RELAXED_ORDERING, QPS_PER_CONNECTION, QPS_PER_P2P, SPLIT_DATA_ON_QPS, MERGE_VFS, MERGE_NICS,
                MERGE_LEVEL, FORCE_MERGE, WARN_RAIL_LOCAL, RETURN_ASYNC_EVENTS, FAILOVER, ECE_ENABLE, DATA_DIRECT,
                MQP_RETRY_ALL, MQP_RETRY_COUNT, MQP_RETRY_SLEEP, FLUSH_DISABLE);
    }
}

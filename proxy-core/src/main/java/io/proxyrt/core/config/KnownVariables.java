/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.config;

import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The environment variables that a program may find set beside those that options are named after: this library's, and
 * all of NCCL's and RCCL's, by what becomes of them here. {@code docs/configuration.md} has them in a table.
 */
public enum KnownVariables {
    /** Second names of options, also of modules that are absent. */
    OPTIONS(true, "An option has it as its second name.",
            "MSCCLPP_EXECUTION_PLAN_DIR", "MSCCL_ALGO_DIR", "MSCCL_XML_FILES",
            "NCCL_ALGO", "NCCL_ALLOC_P2P_NET_LL_BUFFERS", "NCCL_BUFFSIZE", "NCCL_COLLNET_ENABLE",
            "NCCL_COLLNET_NODE_THRESHOLD", "NCCL_DEBUG", "NCCL_DEBUG_FILE", "NCCL_DEBUG_SUBSYS", "NCCL_GDRCOPY_ENABLE",
            "NCCL_GDRCOPY_FIFO_ENABLE",
            "NCCL_GDRCOPY_FLUSH_ENABLE", "NCCL_GDRCOPY_SYNC_ENABLE", "NCCL_GDR_FLUSH_DISABLE", "NCCL_GRAPH_DUMP_FILE",
            "NCCL_GRAPH_FILE", "NCCL_HOSTID",
            "NCCL_IB_ADAPTIVE_ROUTING", "NCCL_IB_ADDR_FAMILY", "NCCL_IB_ADDR_RANGE", "NCCL_IB_AR_THRESHOLD",
            "NCCL_IB_DATA_DIRECT", "NCCL_IB_DISABLE", "NCCL_IB_ECE_ENABLE", "NCCL_IB_FIFO_TC", "NCCL_IB_GID_INDEX",
            "NCCL_IB_HCA", "NCCL_IB_MERGE_NICS", "NCCL_IB_MERGE_VFS", "NCCL_IB_MQP_RETRY_ALL",
            "NCCL_IB_MQP_RETRY_CNT", "NCCL_IB_MQP_RETRY_SLEEP_MSEC", "NCCL_IB_PCI_RELAXED_ORDERING", "NCCL_IB_PKEY",
            "NCCL_IB_QPS_PER_CONNECTION", "NCCL_IB_RESILIENCY_PORT_FAILOVER", "NCCL_IB_RETRY_CNT",
            "NCCL_IB_RETURN_ASYNC_EVENTS", "NCCL_IB_ROCE_VERSION_NUM", "NCCL_IB_ROUTABLE_FLID_GID_INDEX",
            "NCCL_IB_SL", "NCCL_IB_SPLIT_DATA_ON_QPS", "NCCL_IB_TC", "NCCL_IB_TIMEOUT", "NCCL_IB_USE_INLINE",
            "NCCL_IB_WARN_RAIL_LOCAL", "NCCL_IGNORE_CPU_AFFINITY", "NCCL_LL128_BUFFSIZE", "NCCL_LL_BUFFSIZE",
            "NCCL_LOCAL_REGISTER", "NCCL_MAX_NCHANNELS", "NCCL_MAX_P2P_NCHANNELS", "NCCL_MIN_NCHANNELS", "NCCL_NET",
            "NCCL_NETDEVS_POLICY",
            "NCCL_NET_DISABLE_INTRA", "NCCL_NET_FORCE_FLUSH", "NCCL_NET_FORCE_MERGE", "NCCL_NET_MERGE_LEVEL",
            "NCCL_NET_OPTIONAL_RECV_COMPLETION", "NCCL_NET_PLUGIN",
            "NCCL_NET_SHARED_BUFFERS", "NCCL_NET_SHARED_COMMS", "NCCL_NSOCKS_PERTHREAD", "NCCL_NTHREADS",
            "NCCL_P2P_DIRECT_DISABLE", "NCCL_P2P_DISABLE", "NCCL_P2P_LEVEL", "NCCL_P2P_NET_CHUNKSIZE",
            "NCCL_P2P_READ_ENABLE", "NCCL_P2P_USE_CUDA_MEMCPY", "NCCL_PROGRESS_APPENDOP_FREQ", "NCCL_PROTO",
            "NCCL_PROXY_APPEND_BATCH_SIZE", "NCCL_PROXY_CPUSET", "NCCL_PROXY_DUMP_SIGNAL",
            "NCCL_SHM_DISABLE", "NCCL_SHM_LOCALITY",
            "NCCL_SHM_MEMCPY_MODE", "NCCL_SHM_USE_CUDA_MEMCPY", "NCCL_SOCKET_FAMILY", "NCCL_SOCKET_IFNAME",
            "NCCL_SOCKET_INLINE", "NCCL_SOCKET_MIN_TASKSIZE", "NCCL_SOCKET_NTHREADS", "NCCL_SOCKET_RCVBUF",
            "NCCL_SOCKET_RETRY_CNT", "NCCL_SOCKET_RETRY_SLEEP_MSEC", "NCCL_SOCKET_SNDBUF", "NCCL_TOPO_DUMP_FILE",
            "NCCL_TOPO_FILE", "NCCL_TUNER_PLUGIN", "NCCL_UID_STAGGER_RATE", "NCCL_UID_STAGGER_THRESHOLD",
            "RCCL_IB_QPS_PER_P2P",
            "RCCL_INJECT_FAULTS", "RCCL_SOCKET_LINGER", "RCCL_SOCKET_REUSEADDR"),
    /** Of ranks and where they meet. */
    RENDEZVOUS(true, "The launcher of ranks sets them: which rank this is, of how many, and where they meet.",
            "PROXYRT_RANK", "PROXYRT_NRANKS", "PROXYRT_JOB", "PROXYRT_UNIQUE_ID", "PROXYRT_COMM_ID", "NCCL_COMM_ID"),
    /** Of the command {@code proxyrt}. */
    COMMAND(true, "Of the command `proxyrt`: how much it logs (`debug`, `info`, `trace`), which JDK it "
            + "takes, the JVM's options, and jars with networks and transports of others.",
            "PROXYRT_LOG", "PROXYRT_JAVA_HOME", "PROXYRT_JAVA_OPTS", "PROXYRT_PLUGINS"),
    /** Not this library's. */
    PLUGINS(true, "Plug-ins of NCCL read them by themselves.",
            "NCCL_SHARP_*", "NCCL_PLUGIN_P2P", "NCCL_IBEXT_DISABLE", "NCCL_UCX_*", "NCCL_FLOW_PLACEMENT_ENABLE",
            "NCCL_FASTRAK_*", "NCCL_GPUDIRECTTCPX_*", "NCCL_TUNER_CONFIG_PATH"),
    /** Of what is installed. */
    IMAGES(true, "Images with CUDA say with it which NCCL they bring.", "NCCL_VERSION"),
    /** How many rings. */
    CHANNELS(false, "Older or other words for what `NCCL_MIN_NCHANNELS` and `NCCL_MAX_NCHANNELS` say: set "
            + "these.",
            "NCCL_MIN_NRINGS", "NCCL_MAX_NRINGS", "NCCL_MIN_CTAS", "NCCL_MAX_CTAS"),
    /** What is logged. */
    LOGGING(false, "Logs go to SLF4J: its binding decides on their format.",
            "NCCL_DEBUG_TIMESTAMP_LEVELS", "NCCL_DEBUG_TIMESTAMP_FORMAT", "NCCL_WARN_ENABLE_DEBUG_INFO",
            "RCCL_LOG_LEVEL"),
    /** What goes on. */
    DIAGNOSTICS(false, "What they tell is told by `proxyrt stat`, `ProxyState.dump()`, `net.trace` and the "
            + "counters; threads always have names.",
            "NCCL_SET_THREAD_NAME", "NCCL_REPORT_CONNECT_PROGRESS",
            "NCCL_RAS_ENABLE", "NCCL_RAS_ADDR", "NCCL_RAS_TIMEOUT_FACTOR",
            "NCCL_PROFILER_PLUGIN", "NCCL_NVTX_DISABLE", "NCCL_RUN_DIAGNOSTICS", "NCCL_RUN_RAS_DIAGNOSTICS",
            "NCCL_DIAGNOSTICS_*", "NCCL_IB_WQE_LATENCY_*", "RCCL_ENABLE_PROXY_TRACE", "RCCL_KERNEL_COLL_TRACE_ENABLE",
            "RCCL_LATENCY_PROFILER", "RCCL_ENABLE_SIGNALHANDLER"),
    /** Where options come from. */
    SOURCES(false, "Options come from the program, system properties and the environment; there is no file "
            + "of them, and no plug-in.",
            "NCCL_CONF_FILE", "NCCL_ENV_PLUGIN", "NCCL_NO_CACHE", "NCCL_PARAM_DUMP_ALL"),
    /** How ranks meet and connect. */
    SET_UP(false, "The bootstrap is a star that stays; rings are connected at the start, other connections at their "
            + "first use, and ends that differ say so.",
            "NCCL_OOB_NET_ENABLE", "NCCL_OOB_NET_IFNAME", "NCCL_CONNECT_ROUND_MAX_PEERS", "NCCL_RUNTIME_CONNECT",
            "NCCL_NVB_PRECONNECT", "NCCL_SOCKET_MAGIC", "NCCL_SOCKET_POLL_TIMEOUT_MSEC", "NCCL_IPC_USE_ABSTRACT_SOCKET",
            "NCCL_IGNORE_NET_MISMATCH", "NCCL_IGNORE_COLLNET_MISMATCH", "NCCL_ENABLE_VERSION_CHECK"),
    /** What communicators do. */
    COMMUNICATORS(false, "Parts of a communicator always share its runtime; arguments are always checked; calls "
            + "block where their methods say so.",
            "NCCL_COMM_BLOCKING", "NCCL_COMM_SPLIT_SHARE_RESOURCES", "NCCL_COMM_SHRINK_SHARE_RESOURCES",
            "NCCL_CHECK_POINTERS", "NCCL_CHECK_MODE", "NCCL_MULTI_RANK_GPU_ENABLE"),
    /** How kernels get their work. */
    LAUNCHES(false, "Launches of graphs and of streams mix, in the order of one event of their communicator; a "
            + "launch has its work as arguments, so there is no queue of it on the device.",
            "NCCL_GRAPH_MIXING_SUPPORT", "NCCL_GRAPH_HELPER_DISABLE", "NCCL_GRAPH_REGISTER",
            "NCCL_GRAPH_STREAM_ORDERING", "NCCL_LAUNCH_RACE_FATAL", "NCCL_LAUNCH_ORDER_IMPLICIT", "NCCL_LAUNCH_MODE",
            "NCCL_WORK_FIFO_BYTES", "NCCL_WORK_ARGS_BYTES",
            "NCCL_CREATE_THREAD_CONTEXT", "NCCL_SET_STACK_SIZE", "NCCL_SET_CPU_STACK_SIZE", "NCCL_CGA_CLUSTER_SIZE",
            "NCCL_CTA_POLICY", "NCCL_GROUP_CUDA_STREAM", "NCCL_MEM_SYNC_DOMAIN", "NCCL_L1_SHARED_MEMORY_CARVEOUT"),
    /** How memory is shared and registered. */
    MEMORY(false, "The driver is asked how a GPU's memory can be shared and registered; `p2p.way`, "
            + "`net.gdr` and `coll.register` choose.",
            "NCCL_CUMEM_ENABLE", "NCCL_CUMEM_HOST_ENABLE", "NCCL_DMABUF_ENABLE", "NCCL_LEGACY_CUDA_REGISTER",
            "NCCL_SINGLE_PROC_MEM_REG_ENABLE", "NCCL_MULTI_SEGMENT_REGISTER", "NCCL_ELASTIC_BUFFER_REGISTER",
            "NCCL_DISABLE_MEM_MANAGER", "NCCL_SHADOW_MEMPOOL_MAX_SIZE", "NCCL_GDRCOPY_USE_INTERNAL_DMABUF",
            "NCCL_NET_GDR_LEVEL", "NCCL_NET_GDR_READ", "NCCL_NET_GDR_C2C", "NCCL_NET_GDR_MLOPART",
            "RCCL_FORCE_ENABLE_DMABUF", "RCCL_FORCE_ENABLE_GDRDMA", "RCCL_NET_HDP_FLUSH",
            "RCCL_NET_CONTIGUOUS_MEM", "RCCL_GDR_FLUSH_GPU_MEM_NO_RELAXED_ORDERING"),
    /** By which adapters data go. */
    ADAPTERS(false, "Channels take the adapters nearest to the rank's device in turn, and no rank sends through "
            + "another one's (PXN).",
            "NCCL_NET_MERGE_POLICY",
            "NCCL_CROSS_NIC", "NCCL_P2P_PXN_LEVEL", "NCCL_PXN_DISABLE", "NCCL_PXN_C2C", "NCCL_NCHANNELS_PER_NET_PEER",
            "NCCL_NET_PLUGIN_REF_COUNT", "NCCL_UNPACK_DOUBLE_NCHANNELS", "NCCL_MLOPART_RDMA_ENABLE",
            "RCCL_P2P_NET_DISABLE", "RCCL_P2P_NET_THRESHOLD", "RCCL_INTRANET_THRESHOLD", "RCCL_ENABLE_INTRANET"),
    /** Of the IB network. */
    IB(false, "The IB network does without them; `net.ib.failover` has no settings of its own.",
            "NCCL_IB_OOO_RQ", "NCCL_IB_PREPOST_RECEIVE_WORK_REQUESTS", "NCCL_IB_RECEIVER_SIDE_MATCHING_SCHEME",
            "NCCL_IB_SUBNET_AWARE_ROUTING", "NCCL_IB_SUBNET_PREFIX_LEN", "NCCL_IB_DEVICE_PCI_ORDER",
            "NCCL_IB_RESILIENCY_PORT_*", "NCCL_IB_PKEY_VALUE", "NCCL_IB_QUERY_PORT_SPEED", "NCCL_IB_EVENT_BASED_LB",
            "NCCL_IB_EVENT_BASED_LB_REMOTE", "NCCL_IBVERBS_LIB", "RCCL_AINIC_ROCE", "RCCL_CTS_INLINE_DATA",
            "RCCL_CTS_OFFLOAD_ENABLED"),
    /** How ranks are arranged. */
    TOPOLOGY(false, "GPUs of a host follow each other as the topology's search has it, or `NCCL_GRAPH_FILE`; the "
            + "search has no such settings.",
            "NCCL_TOPO_DUMP_FILE_RANK", "NCCL_TOPO_SCATTER_START_NET", "NCCL_TOPO_SPLIT_MLOPART",
            "NCCL_GRAPH_DUMP_FILE_RANK", "NCCL_RINGS", "NCCL_RINGS_REMAP", "NCCL_NVB_DISABLE",
            "NCCL_IGNORE_DISABLED_P2P", "RCCL_TREES",
            "RCCL_MODEL_MATCHING_DISABLE", "RCCL_MODEL_REVERSAL_DISABLE", "RCCL_DISABLE_RAIL_TREES",
            "RCCL_OUTPUT_TREES", "RCCL_DUMP_ROME_MODEL_FILE", "RCCL_USE_ROCM_SMI_LIB", "RCCL_USE_AMD_SMI_LIB"),
    /** How work is cut, and which way it goes. */
    TUNING(false, "Collectives go by no cost model: sizes decide, by the options `coll.*`, and slots "
            + "cut the work.",
            "NCCL_NET_OVERHEAD", "NCCL_LL128_C2C", "NCCL_LL128_NTHREADS",
            "NCCL_THREAD_THRESHOLDS", "NCCL_CHUNK_SIZE", "NCCL_P2P_LL_THRESHOLD", "NCCL_P2P_PCI_CHUNKSIZE",
            "NCCL_P2P_NVL_CHUNKSIZE", "NCCL_MIN_P2P_NCHANNELS", "NCCL_P2P_PER_CHANNEL_*",
            "NCCL_P2P_SCHEDULE_GROUP_SIZE", "NCCL_P2P_MAX_PEERS", "NCCL_P2P_EPOCH_ENABLE",
            "NCCL_ENQUEUE_REARCH_ENABLE", "NCCL_NVLINK_UTIL_CENTRIC_SCHED_ENABLE", "RCCL_OVERRIDE_ALGO",
            "RCCL_OVERRIDE_PROTO", "RCCL_CHANNEL_TUNING_ENABLE", "RCCL_LL128_FORCE_ENABLE", "RCCL_THREADS_PER_BLOCK",
            "RCCL_UNROLL_FACTOR", "RCCL_REDUCED_CU_ENABLE", "RCCL_P2P_BATCH_ENABLE",
            "RCCL_DIRECT_ALLGATHER_THRESHOLD", "RCCL_DIRECT_ALLGATHER_DISABLE", "RCCL_PIVOT_ALLTOALL_ENABLE",
            "RCCL_ALL_TO_ALL_PIVOT_ENABLE", "RCCL_DISABLE_REDUCE_COPY_PIPELINING", "RCCL_WARP_SPEED_*"),
    /** Of what is not here. */
    ABSENT(false, "Of what is not here: NVLink SHARP, NVLink between hosts, PAT, symmetric memory, "
            + "networking by the device, copies by engines alone.",
            "NCCL_NVLS_ENABLE", "NCCL_NVLS_CHUNKSIZE", "NCCL_NVLS_NCHANNELS", "NCCL_NVLSTREE_MAX_CHUNKSIZE",
            "NCCL_MNNVL_ENABLE", "NCCL_MNNVL_UUID", "NCCL_MNNVL_CLIQUE_ID", "NCCL_MNNVL_SCATTER_NETS_ENABLE",
            "NCCL_MNNVL_CROSS_CLIQUE", "NCCL_MNNVL_RAIL_PER_HOST", "NCCL_PAT_ENABLE", "NCCL_GIN_*", "NCCL_GDAKI_*",
            "NCCL_RMA_*", "NCCL_NUM_RMA_*",
            "NCCL_SYM_*", "NCCL_WIN_*", "NCCL_LSA_TEAM_SIZE", "NCCL_DEV_API_JIT", "NCCL_ALLGATHERV_ENABLE",
            "NCCL_CE_COLL_*", "NCCL_HIER_CE_COLL_*", "NCCL_CFT_ENABLE");

    private static final String ANY = "*";
    private static final Map<String, KnownVariables> BY_NAME = new HashMap<>();

    static {
        for (KnownVariables kind : values()) {
            kind.names.forEach(name -> BY_NAME.put(name, kind));
        }
    }

    private final boolean isUsed;
    private final String meaning;
    private final List<String> names;

    KnownVariables(boolean isUsed, String meaning, String... names) {
        this.isUsed = isUsed;
        this.meaning = meaning;
        this.names = List.of(names);
    }

    /**
     * What becomes of a variable.
     *
     * @param name of the variable
     * @return empty if it is not known
     */
    public static Optional<KnownVariables> of(String name) {
        return Optional.ofNullable(BY_NAME.get(name))
                .or(() -> Arrays.stream(values()).filter(kind -> kind.hasFamilyOf(name)).findFirst());
    }

    /** All names, without the families. */
    static Stream<String> stream() {
        return BY_NAME.keySet().stream().filter(name -> !name.endsWith(ANY));
    }

    /**
     * Whether they are read here, or by a plug-in.
     *
     * @return false if they have no effect here
     */
    public boolean isUsed() {
        return isUsed;
    }

    /**
     * What they do here, or why nothing.
     *
     * @return a sentence, in Markdown
     */
    public String meaning() {
        return meaning;
    }

    /**
     * The variables.
     *
     * @return names; one that ends in {@code *} stands for all that begin so
     */
    public List<String> names() {
        return names;
    }

    private boolean hasFamilyOf(String name) {
        return names.stream().anyMatch(family -> family.endsWith(ANY)
                && name.startsWith(family.substring(0, family.length() - 1)));
    }
}

/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import io.proxyrt.core.Protocol;
import io.proxyrt.core.config.Option;
import io.proxyrt.core.config.OptionsProvider;
import java.time.Duration;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The options of the collective stack. */
public final class CollectivesOptions implements OptionsProvider {
    /** Rings that share the work. */
    public static final Option<Integer> CHANNELS = Option.ofInt("coll.channels", "", 0, 0, 64,
            "channels: rings that share the work; 0: 1, on GPUs as many as the way between them takes, within "
            + "coll.min.channels and coll.max.channels")
            .scope(Option.Scope.JOB)
            .when("one ring does not fill the way, or too many threads take part; before the two limits");
    /** Rings that share the work at least. */
    public static final Option<Integer> MIN_CHANNELS = Option.ofInt("coll.min.channels", "NCCL_MIN_NCHANNELS", 0, 0, 64,
            "least number of channels, where coll.channels is 0; comes before coll.max.channels")
            .scope(Option.Scope.JOB)
            .when("the usual number is too small, whatever the way is");
    /** Rings that share the work at most. */
    public static final Option<Integer> MAX_CHANNELS = Option.ofInt("coll.max.channels", "NCCL_MAX_NCHANNELS", 0, 0, 64,
            "greatest number of channels, where coll.channels is 0; 0: as many as there are")
            .scope(Option.Scope.JOB)
            .when("the usual number takes too much of a GPU, or of the host's CPUs");
    /** The transport between ranks. */
    public static final Option<String> TRANSPORT = Option.ofString("coll.transport", "", "",
            "transport between ranks; empty: the first that can")
            .scope(Option.Scope.JOB)
            .when("one transport is measured or at fault; then every pair has to use it");
    /** Which algorithm collectives use. */
    public static final Option<Allowed<Algorithm>> ALGORITHM = Option.of(
            "coll.algo", "NCCL_ALGO", Allowed.all(Algorithm.class), CollectivesOptions::algorithms,
            "auto, or a list of ring, tree, doubling, pat, hierarchical, msccl, oneshot, collnet, collnetdirect, "
            + "collnetchain",
            "algorithms that collectives choose from, by size and by what there is; one alone is used wherever it can "
            + "be; ^ before a list: all but these; allreduce:LIST and so on behind a semicolon: of that function; "
            + "NCCL's nvls and nvlstree are left out, and on GPUs all but ring, tree, hierarchical and oneshot")
            .scope(Option.Scope.JOB)
            .when("another algorithm is faster for the sizes in use, or one is at fault");
    /** What was measured on this machine. */
    public static final Option<String> TUNING_PROFILE = Option.ofString("coll.tuning.profile", "", "",
            "file of proxyrt tune, by which kernels of the host choose algorithms where coll.algo and the limits of "
            + "sizes leave it to them; empty: proxyrt/tuning.profile in XDG_CONFIG_HOME, else in ~/.config, if it was "
            + "measured on such CPUs; none: no file. Rank 0's counts for all")
            .when("a job has a profile of its own, or shall go without");
    /** Algorithms in files. */
    public static final Option<String> MSCCL_FILES = Option.ofString("coll.msccl.files", "MSCCL_XML_FILES", "",
            "MSCCL's XML files and MSCCL++'s plans, parted by colons: kernels of the host go by the first that is for "
            + "a call; all ranks have to have the same")
            .when("a collective has an algorithm of its own, as MSCCL's tools make them");
    /** A folder of them. */
    public static final Option<String> MSCCL_FOLDER = Option.ofString("coll.msccl.folder", "MSCCL_ALGO_DIR", "",
            "folder of files as of coll.msccl.files: those whose names end in .xml, in the order of their names, after "
            + "the others")
            .when("there are many of them, as RCCL has");
    /** A folder of MSCCL++'s plans. */
    public static final Option<String> MSCCLPP_FOLDER = Option.ofString("coll.mscclpp.folder",
            "MSCCLPP_EXECUTION_PLAN_DIR", "",
            "folder of MSCCL++'s plans: files whose names end in .json, in the order of their names, after all others; "
            + "those that do not go by port channels alone are left out")
            .when("a job has its plans where MSCCL++ looks for them");
    /** Whether the network may carry out collectives. */
    public static final Option<Boolean> COLLNET_ENABLE = Option.ofBoolean(
            "coll.collnet.enable", "NCCL_COLLNET_ENABLE", false,
            "1: the network carries out collectives where it can")
            .scope(Option.Scope.JOB)
            .when("there is a network that reduces: a switch, or a plug-in");
    /** From how many nodes on it does. */
    public static final Option<Integer> COLLNET_NODE_THRESHOLD = Option.ofInt(
            "coll.collnet.nodes", "NCCL_COLLNET_NODE_THRESHOLD", 2, 1, 1 << 20,
            "the network carries out collectives of ranks on so many nodes and more")
            .scope(Option.Scope.JOB)
            .when("few nodes gain from the network, or none");
    /** Up to which size it does, where there is a choice. */
    public static final Option<Long> COLLNET_BYTES = Option.ofBytes("coll.collnet.bytes", "", 1 << 20, 0, 1L << 40,
            "the network carries out collectives up to this size, unless coll.algo says so")
            .scope(Option.Scope.JOB)
            .when("measurements show another size up to which the network wins");
    /** Whether what the network does not finish is done again. */
    public static final Option<Boolean> COLLNET_REDO = Option.ofBoolean("coll.collnet.redo", "", false,
            "1: a collective during which the network fails is done again by the ranks, and so are all after it; each "
            + "call then waits until all ranks have the outcome")
            .scope(Option.Scope.JOB)
            .when("a job has to outlive a switch");
    /** How steps travel. */
    public static final Option<Allowed<Protocol>> PROTOCOL = Option.of(
            "coll.protocol", "NCCL_PROTO", Allowed.all(Protocol.class), CollectivesOptions::protocols,
            "auto, or a list of LL, LL128, Simple",
            "protocols by which steps travel, to choose from by size; written as coll.algo is, such as ^LL128")
            .scope(Option.Scope.JOB)
            .when("a protocol is measured or at fault");
    /** Up to which size collectives use LL, if they may choose. */
    public static final Option<Long> LL_BYTES = Option.ofBytes("coll.ll.bytes", "", -1, -1, Long.MAX_VALUE,
            "collectives up to this size use LL; -1: none on the host device, where it wins nothing; on GPUs by the "
            + "way between them")
            .scope(Option.Scope.JOB)
            .when("measurements show another size up to which LL wins");
    /** Up to which size data between two ranks that are connected directly go by LL. */
    public static final Option<Long> DIRECT_LL_BYTES = Option.ofBytes("coll.direct.ll.bytes", "", 32, 0, 1L << 30,
            "messages and doubling up to this size use LL where kernels reach each other")
            .scope(Option.Scope.JOB)
            .when("measurements show another size up to which LL wins within a host");
    /** Up to which size collectives use LL128, if they may choose. */
    public static final Option<Long> LL128_BYTES = Option.ofBytes("coll.ll128.bytes", "", -1, -1, Long.MAX_VALUE,
            "collectives up to this size use LL128; -1: none on the host device, where it wins nothing; on GPUs by "
            + "the way between them")
            .scope(Option.Scope.JOB)
            .when("measurements show sizes for which LL128 wins");
    /** Up to which size an all-reduce goes by recursive doubling. */
    public static final Option<Long> DOUBLING_BYTES = Option.ofBytes("coll.doubling.bytes", "", 64 << 10, -1, 1L << 30,
            "all-reduces of 2ⁿ ranks, or at least 6, up to this size and a slot's go by recursive doubling")
            .scope(Option.Scope.JOB)
            .when("measurements show another size up to which few rounds win");
    /** Up to which size an all-reduce goes by recursive doubling, where all kernels reach each other. */
    public static final Option<Long> DIRECT_DOUBLING_BYTES = Option.ofBytes(
            "coll.direct.doubling.bytes", "", 32 << 10, -1, 1L << 30,
            "as coll.doubling.bytes, where all ranks reach each other's kernels")
            .scope(Option.Scope.JOB)
            .when("measurements show another size up to which few rounds win within a host");
    /** Up to which size a collective goes by trees. */
    public static final Option<Long> TREE_BYTES = Option.ofBytes("coll.tree.bytes", "", -1, -1, 1L << 40,
            "all-reduces, reduces and broadcasts up to this size that do not go by doubling go by trees; -1: none, "
            + "unless coll.algo says so")
            .scope(Option.Scope.JOB)
            .when("there are many ranks, or the network takes its time");
    /** From which size on an all-reduce goes by nodes. */
    public static final Option<Long> HIERARCHICAL_BYTES = Option.ofBytes("coll.hierarchical.bytes", "", 32 << 10, -1,
            1L << 40, "all-reduces from this size on that nothing smaller takes go within nodes and then between them, "
            + "if there are several that have equally many ranks, more than one; -1: none, unless coll.algo says so")
            .scope(Option.Scope.JOB)
            .when("measurements show another size from which fewer hops between hosts win");
    /** Up to which size of a rank's part all-gathers and reduce-scatters take few rounds. */
    public static final Option<Long> PAT_BYTES = Option.ofBytes("coll.pat.bytes", "", 8 << 10, -1, 1L << 30,
            "all-gathers and reduce-scatters of parts up to this size, half of which fit a slot, take log₂ n rounds; "
            + "-1: none, unless coll.algo says so")
            .scope(Option.Scope.JOB)
            .when("measurements show another size up to which few rounds win: more where the network takes its time");
    /** Up to which size an all-reduce sends every input to every rank. */
    public static final Option<Long> GATHER_BYTES = Option.ofBytes("coll.gather.bytes", "", 16 << 10, -1, 1L << 30,
            "all-reduces up to this size send all inputs round the ring, half the way")
            .scope(Option.Scope.JOB)
            .when("measurements show another size up to which fewer hops win");
    /** Up to which size an all-reduce of a group is carried out with others. */
    public static final Option<Long> FUSE_BYTES = Option.ofBytes("coll.group.fuse.bytes", "", 64 << 10, -1,
            Fusion.ROOM_BYTES, "all-reduces of a group up to this size that have one type and op are carried out as "
            + "one, on the host device; -1: none")
            .scope(Option.Scope.JOB)
            .when("the ranks of a job cannot group their calls alike (-1), or measurements show another size");
    /** Up to which size a chunk is one slice, where proxies move it. */
    public static final Option<Long> WHOLE_CHUNK_BYTES = Option.ofBytes(
            "coll.whole.chunk.bytes", "", 64 << 10, 1 << 10, 1L << 30,
            "chunks of a ring up to this size go in one piece, larger ones in two or four, unless all ranks reach each "
            + "other's kernels")
            .scope(Option.Scope.JOB)
            .when("pipelining pays off for smaller chunks (lower), or not yet (higher)");
    /** Whether memory that the communicator allocates is registered with the network. */
    public static final Option<Boolean> REGISTER = Option.ofBoolean("coll.register", "NCCL_LOCAL_REGISTER", true,
            "whether registered memory goes to and from the network without a copy")
            .when("registration is at fault, or figures without it are wanted");
    /** From which size on registered memory is used as such. */
    public static final Option<Long> REGISTER_BYTES = Option.ofBytes("coll.register.bytes", "", 64 << 10, 0, 1L << 40,
            "collectives from this size on use registered memory without a copy")
            .when("registered memory loses for small sizes, or wins for smaller ones");
    /** Threads of a block. */
    public static final Option<Integer> GPU_THREADS = Option.ofInt("coll.gpu.threads", "NCCL_NTHREADS", 512, 1, 512,
            "threads of a block of a GPU's kernels")
            .when("kernels have to leave room for others on the GPU");
    /** How long a kernel waits for a step. */
    public static final Option<Duration> GPU_TIMEOUT = Option.ofDuration("coll.gpu.timeout", "", Duration.ofMinutes(5),
            "how long a GPU's kernel waits for a step before it gives up")
            .when("ranks compute for longer between collectives than this");
    /** Which reductions' kernels are compiled before they are needed. */
    public static final Option<ReductionList> GPU_COMPILE_AHEAD = Option.of(
            "coll.gpu.compile.ahead", "", ReductionList.parse("float,bfloat16,half"), ReductionList::parse,
            "none, or a list such as float,mulsum-bfloat16",
            "reductions whose kernels a thread compiles from when a communicator of GPUs is made, in this order, "
            + "unless gpu.kernel.cache has them: operators and types by nccl-tests' names, a type alone is its sum")
            .when("a job begins with other reductions, or with none and has no CPU to spare");
    /** Up to which size collectives between GPUs use LL over a network. */
    public static final Option<Long> GPU_NET_LL_BYTES = Option.ofBytes(
            "coll.gpu.net.ll.bytes", "", 16 << 10, 0, 1L << 40,
            "collectives of GPUs up to this size use LL over NET")
            .scope(Option.Scope.JOB)
            .when("measurements show another size up to which LL wins");
    /** Up to which size collectives between GPUs use LL over the host's memory. */
    public static final Option<Long> GPU_SHM_LL_BYTES = Option.ofBytes(
            "coll.gpu.shm.ll.bytes", "", 256 << 10, 0, 1L << 40,
            "collectives of GPUs up to this size use LL over SHM")
            .scope(Option.Scope.JOB)
            .when("measurements show another size up to which LL wins");
    /** Up to which size collectives between GPUs that reach each other use LL. */
    public static final Option<Long> GPU_P2P_LL_BYTES = Option.ofBytes(
            "coll.gpu.p2p.ll.bytes", "", 512 << 10, 0, 1L << 40,
            "collectives of GPUs up to this size use LL over P2P")
            .scope(Option.Scope.JOB)
            .when("measurements show another size up to which LL wins");
    /** Up to which size of a rank's part collectives between GPUs that are joined by NVLink use LL128. */
    public static final Option<Long> GPU_NVLINK_LL128_BYTES = Option.ofBytes(
            "coll.gpu.nvlink.ll128.bytes", "", 2 << 20, 0, 1L << 32,
            "collectives of GPUs use LL128 over P2P by NVLink, or within a GPU, up to this size of a rank's part")
            .scope(Option.Scope.JOB)
            .when("measurements show another size up to which LL128 wins");
    /** Up to which size all-reduces between GPUs go in one shot. */
    public static final Option<Long> GPU_ONE_SHOT_BYTES = Option.ofBytes(
            "coll.gpu.oneshot.bytes", "", 192 << 10, 0, 1L << 30,
            "all-reduces of up to 8 GPUs go in one shot, where each sends so many bytes at most to all others over "
            + "P2P, and a third of that over SHM")
            .scope(Option.Scope.JOB)
            .when("measurements show another size up to which one shot wins");
    /** Up to which size other collectives between GPUs go in one shot, and all-reduces in two. */
    public static final Option<Long> GPU_TWO_SHOT_BYTES = Option.ofBytes(
            "coll.gpu.twoshot.bytes", "", 384 << 10, 0, 1L << 30,
            "all-gathers of up to 8 GPUs go in one shot, and all-reduces of 3 to 8 in two, where each sends so many "
            + "bytes at most to all others over P2P, reduce-scatters up to two thirds of that; a third over SHM")
            .scope(Option.Scope.JOB)
            .when("measurements show another size up to which that wins");
    /** Up to which size for each node all-reduces between GPUs of several nodes go by trees. */
    public static final Option<Long> GPU_TREE_BYTES = Option.ofBytes(
            "coll.gpu.tree.bytes", "", 8 << 20, 0, 1L << 40,
            "all-reduces of at least 4 GPUs on several nodes go by trees up to so many bytes for each node, unless "
            + "coll.algo says so")
            .scope(Option.Scope.JOB)
            .when("measurements show another size up to which fewer hops between nodes win");
    /** Up to which size a channel's part of a message between GPUs uses LL. */
    public static final Option<Long> GPU_MESSAGE_LL_BYTES = Option.ofBytes(
            "coll.gpu.message.ll.bytes", "", 16 << 10, 0, 1L << 30,
            "messages between GPUs up to this size use LL where kernels reach each other")
            .scope(Option.Scope.JOB)
            .when("measurements show another size up to which LL wins for messages");
    /** How long collectives may make no progress at all. */
    public static final Option<Duration> TIMEOUT = Option.ofDuration("coll.timeout", "", Duration.ofSeconds(30),
            "how long a wait may last without any progress")
            .when("ranks compute for longer between collectives than this (higher), or hangs have to show sooner "
            + "(lower)");
    /** After how long without progress the reason is looked for. */
    public static final Option<Duration> STALL = Option.ofDuration("coll.stall", "", Duration.ofSeconds(10),
            "how long nothing may move until the log says whom all wait for, and why, as far as ranks of this host "
            + "tell; 0: never")
            .when("ranks compute for longer between collectives than this, and the line is in the way (higher)");
    /** Whether that ends the communicator. */
    public static final Option<Boolean> STALL_ABORT = Option.ofBoolean("coll.stall.abort", "", false,
            "ends the communicator as soon as coll.stall has found a rank that all wait for, with that as the error")
            .when("coll.timeout has to be long, and hangs shall end sooner");

    /** For {@link java.util.ServiceLoader}. */
    public CollectivesOptions() {
    }

    private static Allowed<Algorithm> algorithms(String text) {
        Map<String, Set<Algorithm>> words = new HashMap<>();
        words.put("collnet", EnumSet.of(Algorithm.COLLNETDIRECT, Algorithm.COLLNETCHAIN));
        // NCCL's.
        List.of("nvls", "nvlstree").forEach(absent -> words.put(absent, Set.of()));
        return Allowed.parse(Algorithm.class, words, text);
    }

    private static Allowed<Protocol> protocols(String text) {
        return Allowed.parse(Protocol.class, Map.of(), text);
    }

    @Override
    public String title() {
        return "Collectives";
    }

    @Override
    public List<Option<?>> options() {
        return List.of(CHANNELS, MIN_CHANNELS, MAX_CHANNELS, TRANSPORT, ALGORITHM, TUNING_PROFILE, MSCCL_FILES,
                MSCCL_FOLDER, MSCCLPP_FOLDER, COLLNET_ENABLE, COLLNET_NODE_THRESHOLD, COLLNET_BYTES, COLLNET_REDO,
                PROTOCOL, LL_BYTES, DIRECT_LL_BYTES, LL128_BYTES, DOUBLING_BYTES, DIRECT_DOUBLING_BYTES, TREE_BYTES,
                HIERARCHICAL_BYTES, PAT_BYTES, GATHER_BYTES, FUSE_BYTES, WHOLE_CHUNK_BYTES, REGISTER, REGISTER_BYTES,
                GPU_THREADS, GPU_TIMEOUT, GPU_COMPILE_AHEAD, GPU_NET_LL_BYTES, GPU_SHM_LL_BYTES, GPU_P2P_LL_BYTES,
                GPU_NVLINK_LL128_BYTES, GPU_ONE_SHOT_BYTES, GPU_TWO_SHOT_BYTES, GPU_TREE_BYTES,
                GPU_MESSAGE_LL_BYTES, TIMEOUT, STALL, STALL_ABORT);
    }
}

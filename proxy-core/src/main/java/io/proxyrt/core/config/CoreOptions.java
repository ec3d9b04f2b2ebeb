/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.config;

import io.proxyrt.core.CopyChoice;
import io.proxyrt.core.FullPolicy;
import io.proxyrt.core.HugePages;
import io.proxyrt.core.OpsPoolKind;
import io.proxyrt.core.ThreadingMode;
import java.time.Duration;
import java.util.List;

/** The options of the runtime itself. */
public final class CoreOptions implements OptionsProvider {
    /** Which threads run the agents. */
    public static final Option<ThreadingMode> THREADING = Option.ofEnum("threading", "", ThreadingMode.DEDICATED,
            "which threads run the agents; auto: dedicated if they leave half of the CPUs free, else invoker")
            .when("threads outnumber CPUs (shared, invoker), or a rank's own thread has to compute while data move "
            + "(dedicated)");
    /** Whose copy moves data into slots that another CPU reads, and out of them. */
    public static final Option<CopyChoice> COPY = Option.ofEnum("copy", "", CopyChoice.AUTO,
            "who copies into slots and out of them: jvm, native (memcpy of the C library), or auto, the faster one")
            .when("perf shows that trial took the slower one, or figures are to be compared with a fixed one");
    /** How many op groups one fetch takes, less one, as in RCCL. */
    public static final Option<Integer> APPEND_BATCH_SIZE = Option.ofInt(
            "append.batch.size", "NCCL_PROXY_APPEND_BATCH_SIZE", 16, 1, 1 << 16,
            "op groups taken by one fetch")
            .when("many small ops are posted at once, and fetching them shows in profiles");
    /** How many passes over active ops lie between two fetches while busy. */
    public static final Option<Integer> APPEND_FREQUENCY = Option.ofInt(
            "progress.append.frequency", "NCCL_PROGRESS_APPENDOP_FREQ", 8, 1, 1 << 20,
            "passes between fetches")
            .when("new ops wait too long behind active ones (lower), or fetches show in profiles (higher)");
    /** How ops get from the posters to the progress agent. */
    public static final Option<OpsPoolKind> OPS_POOL = Option.ofEnum("ops.pool", "", OpsPoolKind.LANES,
            "how ops get to the progress agent")
            .when("posts of several threads need one order (mpsc), or RCCL's way is to be measured (locked)");
    /** Lanes in the ops pool: how many threads, or processes, can post. */
    public static final Option<Integer> LANES = Option.ofInt("ops.lanes", "", 4, 1, 1024,
            "lanes of the ops pool: one for each poster")
            .when("more than four threads, processes or communicators of a rank have ops in flight at a time");
    /** Ops that a lane holds: free + pending + in flight. */
    public static final Option<Integer> LANE_CAPACITY = Option.ofInt("ops.lane.capacity", "", 1024, 2, 1 << 16,
            "ops that a lane holds; a power of two")
            .when("posters wait for room, as `proxyrt stat` shows, or there are more channels than fit");
    /** What a poster does when its lane is full. */
    public static final Option<FullPolicy> FULL_POLICY = Option.ofEnum("ops.full", "", FullPolicy.BLOCK,
            "what a poster does when its lane is full")
            .when("a poster must not block");
    /** How long a poster waits for a free slot. */
    public static final Option<Duration> POST_TIMEOUT = Option.ofDuration(
            "ops.post.timeout", "", Duration.ofSeconds(30),
            "how long a poster waits for room in a full lane")
            .when("ops take longer than this, so that a full lane is no fault");
    /** How long an op may take that does not say so itself. */
    public static final Option<Duration> OPS_TIMEOUT = Option.ofDuration("ops.timeout", "", Duration.ZERO,
            "how long an op may take once fetched; 0 for as long as it likes")
            .when("an op that stands still has to end by itself, whatever its collective does");
    /** What threads do between passes in which nothing moved. */
    public static final Option<IdleStrategyKind> IDLE_STRATEGY = Option.ofEnum(
            "idle.strategy", "", IdleStrategyKind.BACKOFF,
            "how threads wait; learn is for regular bursts")
            .when("bursts come at regular times, and CPUs are wanted in between (learn)");
    /** Looks at an empty world before yielding. */
    public static final Option<Integer> IDLE_SPINS = Option.ofInt("idle.spins", "", 100, 0, 1 << 20,
            "idle passes before a thread yields")
            .when("CPUs are shared (lower), or there are cores to spare for latency (higher)");
    /** Yields before parking. */
    public static final Option<Integer> IDLE_YIELDS = Option.ofInt("idle.yields", "", 1000, 0, 1 << 20,
            "yields before a thread parks")
            .when("CPUs are shared (lower), or there are cores to spare for latency (higher)");
    /** How long control threads go on looking. */
    public static final Option<Duration> CONTROL_LINGER = Option.ofDuration(
            "control.linger", "", Duration.ofNanos(100_000),
            "how long a service or UDS thread looks for more after work, before it sleeps")
            .when("many control calls follow each other closely (higher), or idle CPUs matter more (0)");
    /** The longest park while ops are active. */
    public static final Option<Duration> IDLE_PARK = Option.ofDuration("idle.park", "", Duration.ofMillis(1),
            "longest park of a thread that polls something")
            .when("an idle rank wakes too late (lower) or too often (higher)");
    /** How long set-up calls may take. */
    public static final Option<Duration> CONNECT_TIMEOUT = Option.ofDuration(
            "connect.timeout", "", Duration.ofSeconds(30),
            "how long setting up a connection may take")
            .when("hosts start slowly or are many (higher), or failures have to show sooner (lower)");
    /** How long close() without an argument may take. */
    public static final Option<Duration> CLOSE_TIMEOUT = Option.ofDuration("close.timeout", "", Duration.ofSeconds(5),
            "how long close() may take")
            .when("work that is under way at the end takes longer than this");
    /** How long a thread's history is that stays after a crash. */
    public static final Option<Integer> BLACK_BOX_EVENTS = Option.ofInt("blackbox.events", "", 512, 0, 1 << 16,
            "last events of each thread that stay in the mapped file, 40 bytes each, for proxyrt blackbox")
            .when("a longer history is wanted after a crash (higher), or memory is short (0: none)");
    /** Which signal makes the process tell what its runtimes work on. */
    public static final Option<Integer> DUMP_SIGNAL = Option.ofInt("dump.signal", "NCCL_PROXY_DUMP_SIGNAL", -1, -1, 64,
            "signal at which the process logs the active ops of all its runtimes as a warning, as proxyrt dump shows "
            + "them; by number, such as 10 for SIGUSR1; -1: none")
            .when("the mapped files cannot be reached from outside, as in a container that has no shell");
    /** Whether JMX shows the runtime. */
    public static final Option<Boolean> JMX = Option.ofBoolean("jmx", "", false,
            "shows the runtime to JMX as io.proxyrt:type=Runtime: counters, health, and the active ops as proxyrt dump "
            + "shows them")
            .when("a monitor that knows JMX alone looks after the process");
    /** The folder of the mapped files. */
    public static final Option<String> DIRECTORY = Option.ofString("directory", "", "",
            "folder of the mapped files, this user's alone; empty: one in /dev/shm, else in the temp folder")
            .scope(Option.Scope.HOST)
            .when("/dev/shm is too small or must not be used");
    /**
     * Bytes of a connection's Simple buffer: less than RCCL's 4 MiB, so that both directions stay in a core's cache.
     */
    public static final Option<Long> BUFFER_BYTES = Option.ofBytes(
            "buffer.bytes", "NCCL_BUFFSIZE", 1L << 20, 32L << 10, 1L << 30,
            "bytes of a connection's Simple buffer; unless it is set, on GPUs twice as many")
            .scope(Option.Scope.JOB)
            .when("bandwidth of large messages matters and caches are large (higher), or there are many connections "
            + "(lower)");
    /** Bytes of a connection's LL buffer, flags included. */
    public static final Option<Long> LL_BUFFER_BYTES = Option.ofBytes(
            "ll.buffer.bytes", "NCCL_LL_BUFFSIZE", 256L << 10, 1L << 10, 1L << 30,
            "bytes of a connection's LL buffer")
            .scope(Option.Scope.JOB)
            .when("LL is used for larger messages than usual");
    /** Bytes of a connection's LL128 buffer, flags included. */
    public static final Option<Long> LL128_BUFFER_BYTES = Option.ofBytes(
            "ll128.buffer.bytes", "NCCL_LL128_BUFFSIZE", 448L << 10, 1L << 10, 1L << 30,
            "bytes of a connection's LL128 buffer")
            .scope(Option.Scope.JOB)
            .when("LL128 is used for larger messages than usual");
    /** How much of connections' memory is kept when no connection uses it. */
    public static final Option<Long> IDLE_BUFFER_BYTES = Option.ofBytes("buffer.idle.bytes", "", 16L << 20, 0, 1L << 40,
            "bytes of a transport's memory for connections that are kept when no connection uses them")
            .when("connections come and go (higher), or memory is short (0)");
    /** Whether memory of the host device has huge pages. */
    public static final Option<HugePages> HUGE_PAGES = Option.ofEnum("memory.huge.pages", "", HugePages.OFF,
            "huge pages for the host device's memory: none, those that madvise gives, reserved ones")
            .when("the host device's buffers are large, and page walks show in profiles");
    /** Where memory of the host device lies. */
    public static final Option<String> NUMA_NODE = Option.ofString("memory.numa.node", "", "",
            "NUMA node of the host device's memory and of the ops pool; auto: that of the cpuset; empty: of the "
            + "thread that touches it first")
            .when("a rank is bound to CPUs of one node, and its memory should be there");

    /** The CPUs of the progress and the service thread; the process's own limits them further. */
    public static final Option<String> CPUSET = Option.ofString("cpuset", "NCCL_PROXY_CPUSET", "",
            "CPUs of the proxy threads, such as 0-3,8; empty: those of the process")
            .when("proxy threads have to keep off the CPUs of the program, or near an adapter");
    /** Whether a runtime lives on the NUMA node of its network adapter. */
    public static final Option<Boolean> NIC_AFFINITY = Option.ofBoolean("nic.affinity", "", false,
            "1: the proxy threads, the ops pool and the host device's memory are on the NUMA node of the adapter that "
            + "NET uses first; cpuset and memory.numa.node come before it; ranks that a command starts on this host do "
            + "not share out its CPUs then, even if nothing is bound")
            .when("a host has several NUMA nodes and its adapter is not near all of them");
    /** Whether CPUs that the process was not given may be used. */
    public static final Option<Boolean> IGNORE_CPU_AFFINITY = Option.ofBoolean(
            "ignore.cpu.affinity", "NCCL_IGNORE_CPU_AFFINITY", false,
            "1: nic.affinity and cpuset are not limited to the CPUs that the process was given (taskset, a launcher), "
            + "but to those that the system lets it have")
            .when("a launcher binds ranks to fewer CPUs than the proxy threads should have");
    /** The progress thread's priority above all threads that have none; beware of fewer cores than such threads. */
    public static final Option<Integer> REALTIME_PRIORITY = Option.ofInt("realtime.priority", "", 0, 0, 99,
            "SCHED_FIFO priority of the progress thread; 0: none")
            .when("other load delays the progress thread, and there are more cores than such threads");
    /** How long CPUs may take to wake; takes the right to write {@code /dev/cpu_dma_latency}. */
    public static final Option<Integer> CPU_LATENCY = Option.ofInt("cpu.latency", "", -1, -1, 1_000_000,
            "microseconds that the host's idle CPUs may take to wake; 0: they do not sleep; -1: as the system likes")
            .when("latency after idle times matters more than power");

    /** What the ranks of the job know, as text. */
    public static final Option<String> SECRET = Option.ofSecret("secret",
            "any text, equal at all ranks, by which they know each other")
            .scope(Option.Scope.JOB)
            .when("ranks are on several hosts, or other users share the host; the file is safer");
    /** A file with what the ranks of the job know; comes before {@link #SECRET}. */
    public static final Option<String> SECRET_FILE = Option.ofString("secret.file", "", "",
            "file, readable by its owner only, with what is equal at all ranks; or the secret")
            .scope(Option.Scope.JOB)
            .when("ranks are on several hosts, or other users share the host");
    /** Other users of this host whose processes may be peers: over Unix sockets, and over TCP within the host. */
    public static final Option<String> ALLOW_UIDS = Option.ofString("uds.allow.uids", "", "",
            "users of this host who may be peers besides one's own, such as 1001,1002")
            .when("ranks of a host run as different users");
    /** How long the connections of a peer outlive its last session. */
    public static final Option<Duration> PEER_GRACE = Option.ofDuration("peer.grace", "", Duration.ofSeconds(1),
            "how long a peer that went away may come back to its connections")
            .when("peers are restarted, or their connections break and come back");
    /** How long a peer on this host may be silent. */
    public static final Option<Duration> PEER_SILENCE_TIMEOUT = Option.ofDuration(
            "peer.silence.timeout", "", Duration.ofSeconds(30),
            "how long a connected peer may not answer before it counts as stopped")
            .when("processes are paused for longer, by a debugger or a migration (higher)");
    /** How many connections one peer may have. */
    public static final Option<Integer> PEER_CONNECTIONS = Option.ofInt("peer.connections", "", 16_384, 1, 1 << 20,
            "connections that one peer of the service may have")
            .when("a rank has more connections with one peer, as with very many channels");
    /** How long a descriptor that a peer sent is kept unless it uses it. */
    public static final Option<Duration> FD_TIMEOUT = Option.ofDuration("uds.fd.timeout", "", Duration.ofSeconds(30),
            "how long a descriptor that QueryFd sent waits for Register")
            .when("peers are so slow that they use what they sent later than this");
    /** Whose kernels the runtime serves, unless its builder is given a device. */
    public static final Option<String> DEVICE = Option.ofString("device", "", "host",
            "device of the runtime: host, or cuda or hip with a colon and a number")
            .when("kernels run on a GPU");
    /** Which plug-ins to try before the networks that are installed. */
    public static final Option<String> NET_PLUGIN = Option.ofString("net.plugin", "NCCL_NET_PLUGIN", "",
            "plug-ins of NCCL or RCCL, comma-separated, each a file or the part after libnccl-net-; empty: "
            + "libnccl-net.so or librccl-net.so, if it is there; none: no plug-in")
            .scope(Option.Scope.JOB)
            .when("a network of NCCL's or RCCL's shall be used, or none of those that are installed");
    /** What tells hosts apart. */
    public static final Option<String> HOST_ID = Option.ofString("host.id", "NCCL_HOSTID", "",
            "ranks with the same text are on one host; empty: its name and boot id tell")
            .scope(Option.Scope.HOST)
            .when("containers of one host shall share memory, or hosts are told apart wrongly");

    /** How much is logged; {@link NcclDebug} reads it. */
    public static final Option<String> DEBUG = Option.ofString("debug", "NCCL_DEBUG", "",
            "how much is logged: NONE, ERROR, VERSION, WARN, INFO or TRACE; empty: as the logging backend likes")
            .when("a job does not do what it should: INFO tells what was chosen, and why");
    /** Of what {@link #DEBUG} says. */
    public static final Option<String> DEBUG_SUBSYS = Option.ofString("debug.subsys", "NCCL_DEBUG_SUBSYS", "",
            "subsystems that INFO and TRACE are for, such as INIT,NET, or ALL, or all but some: ^COLL; empty: "
            + "INIT,BOOTSTRAP,ENV")
            .when("the log is too long, or the default subsystems do not have what is looked for");
    /** Where to. */
    public static final Option<String> DEBUG_FILE = Option.ofString("debug.file", "NCCL_DEBUG_FILE", "",
            "file to log to; %h stands for the host, %p for the process; empty: the standard error")
            .when("each process shall have a log of its own");

    /** For {@link java.util.ServiceLoader}. */
    public CoreOptions() {
    }

    @Override
    public String title() {
        return "The runtime";
    }

    @Override
    public List<Option<?>> options() {
        return List.of(THREADING, APPEND_BATCH_SIZE, APPEND_FREQUENCY, OPS_POOL, LANES, LANE_CAPACITY, FULL_POLICY,
                POST_TIMEOUT, OPS_TIMEOUT, IDLE_STRATEGY, IDLE_SPINS, IDLE_YIELDS, IDLE_PARK, CONTROL_LINGER,
                CONNECT_TIMEOUT, CLOSE_TIMEOUT, BLACK_BOX_EVENTS, DUMP_SIGNAL, JMX, DIRECTORY, BUFFER_BYTES,
                LL_BUFFER_BYTES, LL128_BUFFER_BYTES, IDLE_BUFFER_BYTES, HUGE_PAGES, COPY, NUMA_NODE, CPUSET,
                NIC_AFFINITY, IGNORE_CPU_AFFINITY, REALTIME_PRIORITY, CPU_LATENCY, SECRET, SECRET_FILE, ALLOW_UIDS,
                PEER_GRACE, PEER_SILENCE_TIMEOUT, PEER_CONNECTIONS, FD_TIMEOUT, DEVICE, NET_PLUGIN, HOST_ID, DEBUG,
                DEBUG_SUBSYS, DEBUG_FILE);
    }
}

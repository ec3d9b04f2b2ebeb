/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.collnet.external;

import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import io.proxyrt.core.CollNetWindow;
import io.proxyrt.core.DataType;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.RedOp;
import io.proxyrt.core.plugin.CollNetBuffer;
import io.proxyrt.core.plugin.CollNetLibrary;
import io.proxyrt.core.plugin.CollNetParts;
import io.proxyrt.core.plugin.NetLibraryProperties;
import io.proxyrt.core.plugin.NetWords;
import io.proxyrt.core.plugin.PluginLibrary;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * A plug-in whose participants are all in this process, and which carries their collectives out. It is as narrow as
 * NCCL's interface allows: only the oldest request may be tested, and memory is used only while it is registered with
 * the comm.
 */
final class FakeCollNetLibrary implements CollNetLibrary {
    static final long CONTEXT = 5;

    final List<NetLibraryProperties> devices = new ArrayList<>(List.of(device("tree0", 1, 1 << 20)));
    /** What was called, other than on the data path. */
    final List<String> calls = new CopyOnWriteArrayList<>();
    /** What a function fails with from now on. */
    final Map<String, Integer> codes = new TreeMap<>();
    int devicesTold = Integer.MIN_VALUE;
    boolean isListenNull;
    boolean isConnectNull;
    boolean hasWindows = true;
    /** How many requests a participant may have. */
    int room = Integer.MAX_VALUE;
    /** How often a request was asked for. */
    int tests;
    int flushedBytes;
    volatile String name = "Fake";
    String warning = "";
    Runnable onInit = () -> { };
    volatile Runnable onFinish = () -> { };

    private final List<MemorySegment> memories = new ArrayList<>();
    private final Map<Long, FakeGroup> groups = new HashMap<>();
    private final Map<Long, FakeGroup.Member> members = new HashMap<>();
    private final Map<Long, Registration> registrations = new HashMap<>();
    private final Map<Long, Request> requests = new HashMap<>();
    private long handles = 100;

    private record Registration(long comm, long address, long bytes) {
    }

    private record Request(FakeGroup.Member member, int call) {
    }

    static NetLibraryProperties device(String name, int pointers, long maxCollBytes) {
        return new NetLibraryProperties(name, "/sys/fake", 1, pointers, false, 100, 10, 1, 0, 0, 0, maxCollBytes);
    }

    /** Lets the plug-in find memory by its address. */
    synchronized MemorySegment expose(MemorySegment memory) {
        memories.add(memory);
        return memory;
    }

    private MemorySegment memory(long comm, long mhandle, long address, long bytes) {
        Registration registered = registrations.get(mhandle);
        if (registered == null || registered.comm != comm || address < registered.address
                || address + bytes > registered.address + registered.bytes) {
            throw new AssertionError(bytes + " bytes at " + address + " are not of " + registered);
        }
        MemorySegment whole = memories.stream().filter(memory -> memory.scope().isAlive()
                && address >= memory.address() && address + bytes <= memory.address() + memory.byteSize())
                .findFirst().orElseThrow();
        return whole.asSlice(address - whole.address(), bytes);
    }

    @Override
    public String file() {
        return "libfake.so";
    }

    @Override
    public int version() {
        return hasWindows ? 12 : 7;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public String lastWarning() {
        return warning;
    }

    private void note(String function, Object... arguments) {
        calls.add(function + List.of(arguments));
        int code = codes.getOrDefault(function, 0);
        if (code != 0) {
            throw new ProxyException(PluginLibrary.result(code), function + " of Fake returned " + code);
        }
    }

    @Override
    public long init() {
        note("init");
        onInit.run();
        return CONTEXT;
    }

    @Override
    public void finish(long context) {
        note("finish", context);
        onFinish.run();
    }

    @Override
    public int devices() {
        note("devices");
        return devicesTold == Integer.MIN_VALUE ? devices.size() : devicesTold;
    }

    @Override
    public NetLibraryProperties properties(int dev) {
        note("getProperties", dev);
        return devices.get(Math.min(dev, devices.size() - 1));
    }

    @Override
    public synchronized long listen(long context, int dev, MemorySegment handle) {
        note("listen", context, dev);
        handle.set(JAVA_LONG_UNALIGNED, 0, handles);
        return isListenNull ? 0 : handles++;
    }

    /** Blocks until all are there. */
    @Override
    public long connect(MemorySegment all, int nRanks, int rank, long listenComm) {
        note("connect", nRanks, rank);
        FakeGroup group;
        synchronized (this) {
            group = groups.computeIfAbsent(all.get(JAVA_LONG_UNALIGNED, 0), any -> new FakeGroup(nRanks));
        }
        group.await();
        synchronized (this) {
            members.put(handles, group.new Member(rank));
            return isConnectNull ? 0 : handles++;
        }
    }

    @Override
    public boolean reduces(DataType type, RedOp op) {
        note("reduceSupport", type, op);
        return type != DataType.FLOAT16 && op != RedOp.PROD;
    }

    @Override
    public boolean hasWindows() {
        return hasWindows;
    }

    @Override
    public void closeColl(long comm) {
        note("closeColl");
    }

    @Override
    public synchronized long regMr(long comm, long address, long bytes) {
        note("regMr", bytes);
        registrations.put(handles, new Registration(comm, address, bytes));
        return handles++;
    }

    @Override
    public synchronized long regMrDmaBuf(long comm, long address, long bytes, long offset, int fd) {
        note("regMrDmaBuf", bytes, offset);
        registrations.put(handles, new Registration(comm, address, bytes));
        return handles++;
    }

    @Override
    public synchronized void deregMr(long comm, long mhandle) {
        note("deregMr");
        if (registrations.remove(mhandle).comm != comm) {
            throw new AssertionError("memory of another comm");
        }
    }

    @Override
    public void closeListen(long comm) {
        note("closeListen");
    }

    @Override
    public synchronized int iallreduce(long comm, CollNetBuffer send, CollNetBuffer recv, long count, DataType type,
            RedOp op, NetWords words) {
        if (isRefused("iallreduce", comm, words)) {
            return codes.getOrDefault("iallreduce", 0);
        }
        long bytes = count * type.sizeBytes();
        return post(comm, words, members.get(comm).reduce("allreduce of " + count + " " + type + " " + op,
                memory(comm, send.mhandle(), send.address(), bytes), type, op,
                memory(comm, recv.mhandle(), recv.address(), bytes), 0));
    }

    @Override
    public synchronized int iallgather(long comm, CollNetBuffer send, CollNetParts recv, CollNetWindow window,
            NetWords words) {
        if (isRefused("iallgather", comm, words)) {
            return codes.getOrDefault("iallgather", 0);
        }
        int rank = members.get(comm).rank();
        return post(comm, words, members.get(comm).gather("allgather of " + text(window),
                memory(comm, send.mhandle(), send.address(), begin(window, rank + 1) - begin(window, rank)),
                part(comm, recv)));
    }

    @Override
    public synchronized int ireducescatter(long comm, CollNetParts send, CollNetBuffer recv, CollNetWindow window,
            DataType type, RedOp op, NetWords words) {
        if (isRefused("ireducescatter", comm, words)) {
            return codes.getOrDefault("ireducescatter", 0);
        }
        long begin = begin(window, members.get(comm).rank());
        return post(comm, words, members.get(comm).reduce("reducescatter of " + text(window) + type + op,
                part(comm, send), type, op, memory(comm, recv.mhandle(), recv.address(),
                        begin(window, members.get(comm).rank() + 1) - begin), begin - window.offset()));
    }

    private static String text(CollNetWindow window) {
        return window.bytesPerRank() + " " + window.offset() + " " + window.bytes();
    }

    /** Where a rank's part begins in what a window has, from the first part's beginning. */
    private static long begin(CollNetWindow window, int rank) {
        return Math.clamp(rank * window.bytesPerRank(), window.offset(), window.offset() + window.bytes());
    }

    /** An SGE, as C reads it. */
    private MemorySegment part(long comm, CollNetParts parts) {
        if (parts.count() != 1) {
            throw new AssertionError(parts.count() + " parts");
        }
        return memory(comm, parts.mhandle(0), parts.address(0), parts.bytes(0));
    }

    private boolean isRefused(String function, long comm, NetWords words) {
        if (words.request() != 0) {
            throw new AssertionError("a request before " + function);
        }
        return codes.containsKey(function) || members.get(comm).outstanding() >= room;
    }

    private int post(long comm, NetWords words, int call) {
        requests.put(handles, new Request(members.get(comm), call));
        words.request(handles++);
        return 0;
    }

    @Override
    public synchronized int iflush(long comm, CollNetBuffer buffer, int bytes, NetWords words) {
        memory(comm, buffer.mhandle(), buffer.address(), bytes);
        flushedBytes = bytes;
        requests.put(handles, new Request(null, 0));
        words.request(handles++);
        return codes.getOrDefault("iflush", 0);
    }

    @Override
    public synchronized int test(long request, NetWords words) {
        tests++;
        Request asked = requests.get(request);
        if (codes.containsKey("test") || asked == null) {
            return codes.getOrDefault("test", ProxyResult.INTERNAL_ERROR.code());
        }
        int result = asked.member == null ? 1 : asked.member.complete(asked.call);
        if (result > 0) {
            requests.remove(request);
            words.done(true);
        }
        return Math.max(0, -result);
    }
}

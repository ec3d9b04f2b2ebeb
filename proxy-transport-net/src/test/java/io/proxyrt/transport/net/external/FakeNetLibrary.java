/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.external;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.plugin.NetLibrary;
import io.proxyrt.core.plugin.NetLibraryProperties;
import io.proxyrt.core.plugin.NetWords;
import io.proxyrt.core.plugin.PluginLibrary;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;

/** A plug-in that does what the test tells it, in as narrow a way as NCCL's interface allows. */
final class FakeNetLibrary implements NetLibrary {
    static final long CONTEXT = 5;
    static final NetLibraryProperties PLAIN = device("fake0", "/sys/fake", 1, 1 << 20);

    final List<NetLibraryProperties> devices = new ArrayList<>(List.of(PLAIN));
    /** What was called, other than on the data path. */
    final List<String> calls = new CopyOnWriteArrayList<>();
    /** What a function fails with from now on. */
    final Map<String, Integer> codes = new TreeMap<>();
    /** How many requests were posted, and are not complete; they complete in order. */
    int outstanding;
    /** Sizes that the next completed request reports; empty: it writes none. */
    final List<Integer> sizes = new ArrayList<>();
    /** How many of the outstanding requests, from the oldest, are complete. */
    int ready;
    int room = Integer.MAX_VALUE;
    int pendingConnects;
    int devicesTold = Integer.MIN_VALUE;
    boolean isListenNull;
    /** Whether irecv leaves the request as it finds it. */
    boolean isRequestUntouched;
    /** What the last irecv found in the request. */
    long hint;
    /** What the last iflush was given. */
    int flushed;
    long flushedBytes;
    int consumed;
    int tests;
    volatile String name = "Fake";
    String warning = "";
    Runnable onInit = () -> { };
    Runnable onFinish = () -> { };
    volatile Runnable onAccept = () -> { };
    MemorySegment connectHandle;
    long lastAddress;
    /** The oldest request that is not complete. */
    long oldest = 1000;
    private long handles = 100;

    static NetLibraryProperties device(String name, String pciPath, int maxRecvs, long maxP2pBytes) {
        return new NetLibraryProperties(name, pciPath, 1, NetLibraryProperties.PTR_HOST, false, 100, 10, maxRecvs,
                NetLibraryProperties.DEVICE_HOST, 0, maxP2pBytes, 0);
    }

    @Override
    public String file() {
        return "libfake.so";
    }

    @Override
    public int version() {
        return 9;
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
    public long listen(long context, int dev, MemorySegment handle) {
        note("listen", context, dev);
        handle.fill((byte) 7);
        return isListenNull ? 0 : handles++;
    }

    @Override
    public long connect(long context, int dev, MemorySegment handle) {
        note("connect", context, dev);
        connectHandle = handle;
        handle.set(JAVA_BYTE, 100, (byte) (handle.get(JAVA_BYTE, 100) + 1));
        return pendingConnects-- > 0 ? 0 : handles++;
    }

    @Override
    public long accept(long listenComm) {
        note("accept", listenComm);
        onAccept.run();
        return pendingConnects-- > 0 ? 0 : handles++;
    }

    @Override
    public long regMr(long comm, long address, long bytes) {
        note("regMr", comm, bytes);
        lastAddress = address;
        return handles++;
    }

    @Override
    public long regMrDmaBuf(long comm, long address, long bytes, long offset, int fd) {
        note("regMrDmaBuf", comm, address, bytes, offset, fd);
        return handles++;
    }

    @Override
    public void deregMr(long comm, long mhandle) {
        note("deregMr", comm, mhandle);
    }

    @Override
    public void closeSend(long comm) {
        note("closeSend", comm);
    }

    @Override
    public void closeRecv(long comm) {
        note("closeRecv", comm);
    }

    @Override
    public void closeListen(long comm) {
        note("closeListen", comm);
    }

    @Override
    public int isend(long comm, long address, long bytes, int tag, long mhandle, NetWords words) {
        lastAddress = address;
        return post("isend", words);
    }

    @Override
    public int irecv(long comm, int n, NetWords words) {
        hint = words.request();
        lastAddress = words.address(n - 1);
        return isRequestUntouched ? 0 : post("irecv", words);
    }

    @Override
    public int iflush(long comm, int n, NetWords words) {
        flushed = n;
        flushedBytes = words.bytes(0);
        return post("iflush", words);
    }

    private int post(String function, NetWords words) {
        boolean isTaken = outstanding < room;
        words.request(isTaken ? oldest + outstanding : 0);
        outstanding += isTaken ? 1 : 0;
        return codes.getOrDefault(function, 0);
    }

    @Override
    public int test(long request, NetWords words) {
        tests++;
        if (codes.containsKey("test")) {
            return codes.get("test");
        }
        if (outstanding == 0 || request != oldest) {
            return ProxyResult.INTERNAL_ERROR.code();
        }
        if (ready > 0) {
            ready--;
            outstanding--;
            oldest++;
            words.done(true);
            for (int i = 0; i < sizes.size(); i++) {
                words.actual(i, sizes.get(i));
            }
        }
        return 0;
    }

    @Override
    public int irecvConsumed(long comm, int n, long request) {
        consumed += n;
        return codes.getOrDefault("irecvConsumed", 0);
    }
}

/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.natives.gpu;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.device.LaunchShape;
import io.proxyrt.core.platform.Platform;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * A driver that does nothing but keep count: of what it gave, by what call, and whose the calling thread's calls are.
 * Streams stop and go, and calls fail, as a test says.
 */
class ScriptedApi implements GpuApi {
    static final int FAILED = 700;
    static final int REFUSED = 1;
    static final int GPUS = 2;
    private static final int NONE = -1;
    private static final long GRANULARITY = 2 << 20;
    private static final long NOT_ALIGNED = 512;

    private final GpuScratch scratch = new GpuScratch(0);
    /** By handle or address: the call that gave it. */
    final Map<Long, String> given = new TreeMap<>();
    final List<String> calls = new ArrayList<>();
    /** How many of a call go well before one fails. */
    final Map<String, Integer> failures = new HashMap<>();
    /** What happens while a call is made. */
    final Map<String, Runnable> during = new HashMap<>();
    /** What streams and events say. */
    int state = SUCCESS;
    /** What streams say as long as they are busy, whatever events say. */
    boolean isBusy;
    /** What commands say. */
    int taken = SUCCESS;
    /** Of the last copy; of a batch, how many copies it has. */
    long copiedBytes;
    boolean hasBatches;
    /** Whether memory begins where a page does. */
    boolean isAligned = true;
    /** What is known of addresses in these; kernels reach them, unless they have no address for devices. */
    final List<GpuPointer> pointers = new ArrayList<>();
    private final ThreadLocal<Integer> current = ThreadLocal.withInitial(() -> NONE);
    private long next = 0x7000_0000_0000L;

    void fail(String call, int after) {
        failures.put(call, after);
    }

    /** Calls of a name so far. */
    long count(String name) {
        return calls.stream().filter(call -> call.equals(name)).count();
    }

    private synchronized void call(String name) {
        calls.add(name);
        during.getOrDefault(name, () -> { }).run();
        Integer left = failures.computeIfPresent(name, (key, value) -> value - 1);
        if (left != null && left < 0) {
            failures.remove(name);
            throw new ProxyException(ProxyResult.UNHANDLED_DEVICE_ERROR, name + " fails");
        }
    }

    private void onDevice(String name) {
        if (current.get() == NONE) {
            throw new AssertionError(name + " without a current device");
        }
        call(name);
    }

    private synchronized long give(String name, long bytes) {
        long handle = next + (isAligned ? 0 : NOT_ALIGNED);
        next += (bytes + GRANULARITY) & -GRANULARITY;
        given.put(handle, name);
        return handle;
    }

    private synchronized void take(long handle, String name) {
        if (!name.equals(given.remove(handle))) {
            throw new AssertionError(Long.toHexString(handle) + " is not of " + name);
        }
    }

    @Override
    public GpuScratch scratch() {
        return scratch;
    }

    @Override
    public String kind() {
        return "cuda";
    }

    @Override
    public String version() {
        return "scripted";
    }

    @Override
    public int deviceCount() {
        return GPUS;
    }

    @Override
    public void setDevice(int ordinal) {
        call("setDevice");
        current.set(ordinal);
    }

    int currentDevice() {
        return current.get();
    }

    @Override
    public int attribute(GpuAttribute what, int ordinal) {
        return switch (what) {
            case NUMA_NODE -> NONE;
            case MAX_BLOCK_THREADS -> 64;
            default -> 1;
        };
    }

    @Override
    public String model(int ordinal) {
        return "Scripted";
    }

    @Override
    public String architecture(int ordinal) {
        return "sm_90";
    }

    @Override
    public String pciBusId(int ordinal) {
        return "0000:0" + ordinal + ":00.0";
    }

    @Override
    public long memoryBytes(int ordinal) {
        return 1 << 30;
    }

    @Override
    public long malloc(long bytes) {
        onDevice("malloc");
        return give("malloc", bytes);
    }

    @Override
    public void free(long address) {
        onDevice("free");
        take(address, "malloc");
    }

    @Override
    public long hostAlloc(long bytes) {
        throw new ProxyException(ProxyResult.SYSTEM_ERROR, "this driver has no memory of the host");
    }

    @Override
    public void freeHost(long address) {
        throw new AssertionError("it never gave any");
    }

    @Override
    public long hostRegister(long address, long bytes) {
        onDevice("hostRegister");
        given.put(address, "hostRegister");
        return address;
    }

    @Override
    public void hostUnregister(long address) {
        onDevice("hostUnregister");
        take(address, "hostRegister");
    }

    @Override
    public Optional<GpuPointer> pointer(long address) {
        onDevice("pointer");
        return pointers.stream().filter(known -> address >= known.base() && known.bytesFrom(address) > 0).findFirst()
                .map(known -> new GpuPointer(known.ordinal(), known.place(), known.deviceAddress() == 0 ? 0
                        : known.deviceAddress() + address - known.base(), known.base(), known.bytes(),
                        known.isMapped()));
    }

    @Override
    public void memset(long address, int value, long bytes) {
        onDevice("memset");
    }

    @Override
    public long streamCreate() {
        onDevice("streamCreate");
        return give("streamCreate", 1);
    }

    @Override
    public void streamDestroy(long stream) {
        onDevice("streamDestroy");
        take(stream, "streamCreate");
    }

    @Override
    public int streamQuery(long stream) {
        if (!given.containsKey(stream)) {
            throw new AssertionError("a stream that is gone");
        }
        return isBusy ? NOT_READY : state;
    }

    private int command(String name) {
        onDevice(name);
        return taken;
    }

    @Override
    public int memcpyAsync(long to, long from, long bytes, long stream) {
        copiedBytes = bytes;
        return command("memcpyAsync");
    }

    @Override
    public int memcpyPeerAsync(long to, int toOrdinal, long from, int fromOrdinal, long bytes, long stream) {
        copiedBytes = bytes;
        return command("memcpyPeerAsync");
    }

    @Override
    public boolean hasMemcpyBatch() {
        return hasBatches;
    }

    @Override
    public int memcpyBatchAsync(GpuBatch batch, long stream) {
        copiedBytes = batch.size();
        return command("memcpyBatchAsync");
    }

    @Override
    public int writeValue(long stream, long address, long value) {
        return command("writeValue");
    }

    @Override
    public long eventCreate() {
        onDevice("eventCreate");
        return give("eventCreate", 1);
    }

    @Override
    public void eventDestroy(long event) {
        onDevice("eventDestroy");
        take(event, "eventCreate");
    }

    @Override
    public int eventRecord(long event, long stream) {
        return command("eventRecord");
    }

    @Override
    public int eventQuery(long event) {
        if (current.get() == NONE) {
            throw new AssertionError("eventQuery without a current device");
        }
        return state;
    }

    @Override
    public int streamWaitEvent(long stream, long event) {
        return command("streamWaitEvent");
    }

    @Override
    public void ipcGetMemHandle(long address, MemorySegment handle) {
        onDevice("ipcGetMemHandle");
    }

    @Override
    public long ipcOpenMemHandle(MemorySegment handle) {
        onDevice("ipcOpenMemHandle");
        return give("ipcOpenMemHandle", 1);
    }

    @Override
    public void ipcCloseMemHandle(long address) {
        onDevice("ipcCloseMemHandle");
        take(address, "ipcOpenMemHandle");
    }

    @Override
    public long memGranularity(int ordinal) {
        return GRANULARITY;
    }

    @Override
    public long memCreate(int ordinal, long bytes) {
        onDevice("memCreate");
        return give("memCreate", bytes);
    }

    @Override
    public void memRelease(long handle) {
        call("memRelease");
        take(handle, "memCreate");
    }

    /** Of a file, so that it can be closed. */
    @Override
    public int memExport(long handle) {
        onDevice("memExport");
        return Platform.find().descriptors().memfd("proxyrt-scripted", 1).release();
    }

    @Override
    public long memImport(int fd) {
        onDevice("memImport");
        return give("memCreate", 1);
    }

    @Override
    public long memMap(long handle, long bytes) {
        onDevice("memMap");
        return give("memMap", bytes);
    }

    @Override
    public void memUnmap(long address, long bytes) {
        call("memUnmap");
        take(address, "memMap");
    }

    @Override
    public void memSetAccess(long address, long bytes, int ordinal) {
        call("memSetAccess");
    }

    @Override
    public int exportDmaBuf(long address, long bytes, MemorySegment offset) {
        throw new ProxyException(ProxyResult.UNHANDLED_DEVICE_ERROR, "this driver exports no dma-buf");
    }

    @Override
    public MemorySegment hdpRegister(int ordinal) {
        return null;
    }

    @Override
    public int flushRemoteWrites() {
        return command("flushRemoteWrites");
    }

    @Override
    public boolean canAccessPeer(int ordinal, int peer) {
        return ordinal != peer;
    }

    @Override
    public void enablePeerAccess(int peer) {
        onDevice("enablePeerAccess");
    }

    @Override
    public long moduleLoad(MemorySegment image) {
        onDevice("moduleLoad");
        return give("moduleLoad", 1);
    }

    @Override
    public void moduleUnload(long module) {
        onDevice("moduleUnload");
        take(module, "moduleLoad");
    }

    @Override
    public long moduleFunction(long module, String name) {
        return 1;
    }

    @Override
    public int launch(long function, LaunchShape shape, MemorySegment arguments, long stream) {
        return command("launch");
    }

    @Override
    public GpuCompiler compiler() {
        return new GpuCompiler() {
            @Override
            public String whyNot() {
                return "none here";
            }

            @Override
            public String version() {
                return "";
            }

            @Override
            public byte[] compile(String name, String source, String architecture) {
                throw new AssertionError("it does not work");
            }
        };
    }

    @Override
    public ProxyResult result(int code) {
        return code == REFUSED ? ProxyResult.INVALID_ARGUMENT : ProxyResult.UNHANDLED_DEVICE_ERROR;
    }

    @Override
    public String errorName(int code) {
        return "error (" + code + ")";
    }
}

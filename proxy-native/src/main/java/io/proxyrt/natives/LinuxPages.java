/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.natives;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.platform.HostPages;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.BitSet;

/** {@code mmap(2)}, {@code madvise(2)} and {@code mbind(2)}. */
final class LinuxPages implements HostPages {
    /** Stateless. */
    static final HostPages INSTANCE = new LinuxPages();

    /** On both architectures, with pages of 4 KiB; where those are larger, huge ones are too, and this still aligns. */
    private static final long HUGE_PAGE_BYTES = 2L << 20;
    private static final Path TRANSPARENT = Path.of("/sys/kernel/mm/transparent_hugepage/enabled");
    private static final Path SHARED = Path.of("/sys/kernel/mm/transparent_hugepage/shmem_enabled");
    private static final Path CPUS = Path.of("/sys/devices/system/cpu");
    private static final int PROT_READ_WRITE = 3;
    private static final int MAP_PRIVATE_ANONYMOUS = 0x22;
    private static final int MAP_FIXED_NORESERVE = 0x4010;
    private static final long MAP_FAILED = -1;
    private static final int MADV_HUGEPAGE = 14;
    private static final boolean IS_AMD64 = System.getProperty("os.arch").equals("amd64");
    private static final long SYS_MBIND = IS_AMD64 ? 237 : 235;
    private static final long SYS_GET_MEMPOLICY = IS_AMD64 ? 239 : 236;
    private static final int MPOL_BIND = 2;
    private static final int MPOL_MF_MOVE = 2;
    private static final long MPOL_F_NODE_ADDR = 3;
    private static final long MPOL_F_MEMS_ALLOWED = 4;
    /** More nodes than any kernel is built for, or it refuses to tell. */
    private static final int MAX_NODES = 1024;

    private static final MethodHandle MMAP = CLibrary.link("mmap", FunctionDescriptor.of(ADDRESS, ADDRESS, JAVA_LONG,
            JAVA_INT, JAVA_INT, JAVA_INT, JAVA_LONG), Errno.CAPTURED);
    private static final MethodHandle MUNMAP = CLibrary.link("munmap",
            FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG), Errno.CAPTURED);
    private static final MethodHandle MADVISE = CLibrary.link("madvise",
            FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_LONG, JAVA_INT), Errno.CAPTURED);
    private static final Linker.Option VARIADIC = Linker.Option.firstVariadicArg(1);
    private static final MethodHandle MBIND = CLibrary.link("syscall", FunctionDescriptor.of(JAVA_LONG, JAVA_LONG,
            ADDRESS, JAVA_LONG, JAVA_LONG, ADDRESS, JAVA_LONG, JAVA_LONG), VARIADIC, Errno.CAPTURED);
    private static final MethodHandle GET_MEMPOLICY = CLibrary.link("syscall", FunctionDescriptor.of(JAVA_LONG,
            JAVA_LONG, ADDRESS, ADDRESS, JAVA_LONG, ADDRESS, JAVA_LONG), VARIADIC, Errno.CAPTURED);

    private LinuxPages() {
    }

    /** Maps as much more as it takes to begin at a huge page: that costs addresses, and no memory. */
    @Override
    @SuppressWarnings("restricted")
    public MemorySegment map(long bytes, Arena arena) {
        long slack = bytes >= HUGE_PAGE_BYTES ? HUGE_PAGE_BYTES : 0;
        if (bytes < 1 || bytes > Long.MAX_VALUE - HUGE_PAGE_BYTES) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, "cannot map " + bytes + " bytes");
        }
        try (Arena call = Arena.ofConfined()) {
            MemorySegment errno = Errno.capture(call);
            long address = mmap(errno, MemorySegment.NULL, bytes + slack, 0).address();
            if (address == MAP_FAILED) {
                throw Errno.failure("cannot map " + bytes + " bytes of memory", Errno.of(errno),
                        "; this process's address space or the host's memory is used up (ulimit -v)");
            }
            MemorySegment all = MemorySegment.ofAddress(address).reinterpret(bytes + slack, arena,
                    gone -> unmap(address, bytes + slack));
            return all.asSlice(slack == 0 ? 0 : -address & slack - 1, bytes);
        }
    }

    @Override
    public void empty(MemorySegment memory) {
        try (Arena call = Arena.ofConfined()) {
            MemorySegment errno = Errno.capture(call);
            if (mmap(errno, memory, memory.byteSize(), MAP_FIXED_NORESERVE).address() == MAP_FAILED) {
                throw Errno.failure("cannot give " + memory.byteSize() + " bytes of memory back", Errno.of(errno), "");
            }
        }
    }

    @Override
    public long hugePageBytes() {
        return HUGE_PAGE_BYTES;
    }

    @Override
    public String whyNoHuge(boolean isShared) {
        Path file = isShared ? SHARED : TRANSPARENT;
        String setting = read(file);
        return setting.isEmpty() ? "the kernel has no " + file
                : setting.contains("[never]") || setting.contains("[deny]")
                        ? file + " is never; write " + (isShared ? "advise" : "madvise") + " to it" : "";
    }

    @Override
    public void adviseHuge(MemorySegment memory) {
        try (Arena call = Arena.ofConfined()) {
            MemorySegment errno = Errno.capture(call);
            if (madvise(errno, memory) != 0) {
                throw Errno.failure("cannot ask for huge pages", Errno.of(errno), "");
            }
        }
    }

    @Override
    public int[] nodes() {
        try (Arena call = Arena.ofConfined()) {
            MemorySegment mask = call.allocate(MAX_NODES / Byte.SIZE, JAVA_LONG.byteAlignment());
            policy(call, MemorySegment.NULL, mask, MemorySegment.NULL, MPOL_F_MEMS_ALLOWED);
            return BitSet.valueOf(mask.toArray(JAVA_LONG)).stream().toArray();
        }
    }

    @Override
    public int nodeOf(int cpu) {
        for (int node : nodes()) {
            if (Files.exists(CPUS.resolve("cpu" + cpu).resolve("node" + node))) {
                return node;
            }
        }
        return 0;
    }

    @Override
    public void bind(MemorySegment memory, int node) {
        try (Arena call = Arena.ofConfined()) {
            MemorySegment errno = Errno.capture(call);
            BitSet nodes = new BitSet();
            nodes.set(node);
            MemorySegment mask = call.allocate(MAX_NODES / Byte.SIZE, JAVA_LONG.byteAlignment());
            mask.copyFrom(MemorySegment.ofArray(nodes.toLongArray()));
            if (mbind(errno, memory, mask) != 0) {
                throw Errno.failure("cannot keep " + memory.byteSize() + " bytes on NUMA node " + node,
                        Errno.of(errno), "");
            }
        }
    }

    @Override
    public int nodeOf(MemorySegment memory) {
        try (Arena call = Arena.ofConfined()) {
            MemorySegment node = call.allocate(JAVA_INT);
            policy(call, node, MemorySegment.NULL, memory, MPOL_F_NODE_ADDR);
            return node.get(JAVA_INT, 0);
        }
    }

    private static void policy(Arena call, MemorySegment mode, MemorySegment mask, MemorySegment address, long flags) {
        MemorySegment errno = Errno.capture(call);
        long status;
        try {
            status = (long) GET_MEMPOLICY.invokeExact(errno, SYS_GET_MEMPOLICY, mode, mask,
                    mask.byteSize() * Byte.SIZE, address, flags);
        } catch (Throwable t) {
            throw CLibrary.failure("get_mempolicy", t);
        }
        if (status != 0) {
            throw Errno.failure("cannot ask for NUMA nodes", Errno.of(errno), "");
        }
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            return "";
        }
    }

    private static MemorySegment mmap(MemorySegment errno, MemorySegment at, long bytes, int flags) {
        try {
            return (MemorySegment) MMAP.invokeExact(errno, at, bytes, PROT_READ_WRITE,
                    MAP_PRIVATE_ANONYMOUS | flags, -1, 0L);
        } catch (Throwable t) {
            throw CLibrary.failure("mmap", t);
        }
    }

    /** It is ours and mapped, so it works. */
    private static void unmap(long address, long bytes) {
        try (Arena call = Arena.ofConfined()) {
            MemorySegment errno = Errno.capture(call);
            int status = (int) MUNMAP.invokeExact(errno, address, bytes);
            if (status != 0) {
                throw Errno.failure("cannot unmap " + bytes + " bytes", Errno.of(errno), "");
            }
        } catch (Throwable t) {
            throw CLibrary.failure("munmap", t);
        }
    }

    private static int madvise(MemorySegment errno, MemorySegment memory) {
        try {
            return (int) MADVISE.invokeExact(errno, memory, memory.byteSize(), MADV_HUGEPAGE);
        } catch (Throwable t) {
            throw CLibrary.failure("madvise", t);
        }
    }

    private static long mbind(MemorySegment errno, MemorySegment memory, MemorySegment mask) {
        try {
            return (long) MBIND.invokeExact(errno, SYS_MBIND, memory, memory.byteSize(), (long) MPOL_BIND, mask,
                    mask.byteSize() * Byte.SIZE, (long) MPOL_MF_MOVE);
        } catch (Throwable t) {
            throw CLibrary.failure("mbind", t);
        }
    }
}

/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import io.proxyrt.core.DataType;
import io.proxyrt.core.PreMulSum;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.ReduceOp;
import io.proxyrt.core.UserRedOp;
import io.proxyrt.core.device.Device;
import java.lang.foreign.MemorySegment;

/**
 * Looks at what the caller gives before a launch: what a kernel stumbles over would end the stream, and leave the other
 * ranks waiting. Allocates nothing for what is good.
 */
final class ArgumentCheck {
    private static final Thread ANOTHER = Thread.ofVirtual().unstarted(() -> { });

    private final int rank;
    private final int nRanks;
    private final Reach reach;
    /** Whose kernels call no functions; empty for the host. */
    private final String gpu;

    private ArgumentCheck(RingSetup setup, String gpu, Reach reach) {
        this.gpu = gpu;
        this.rank = setup.rank();
        this.nRanks = setup.nRanks();
        this.reach = reach;
    }

    /** Which memory kernels reach. */
    @FunctionalInterface
    private interface Reach {
        /** Why not so much of a buffer; null if they do. */
        String whyNot(MemorySegment buffer, long bytes);
    }

    /** For kernels that the caller's thread runs, or another one. */
    static ArgumentCheck ofHost(RingSetup setup, boolean isInvoker) {
        return new ArgumentCheck(setup, "", (buffer, bytes) ->
                buffer.isAccessibleBy(isInvoker ? Thread.currentThread() : ANOTHER) ? null
                        : " belongs to a confined arena, but another thread runs the kernels; use a shared one");
    }

    /** For kernels of a GPU: one that touches memory out of its reach ends all that the process does there. */
    static ArgumentCheck ofGpu(RingSetup setup, Device device) {
        return new ArgumentCheck(setup, device.name(), (buffer, bytes) -> {
            if (bytes == 0 || device.deviceAddress(buffer, bytes) != 0) {
                return null;
            }
            return buffer.isNative() ? " is in no memory of " + device.name() + "; give the range of memory of the "
                    + "communicator's allocate or, if another library got it from the driver, of the device's wrap; "
                    + "memory of the host the device has to allocateHost or register"
                    : " is on the Java heap, out of reach of " + device.name() + "; copy it to memory of the device's "
                    + "allocateHost, and give the segment of that";
        });
    }

    /** For what has no rank yet, or needs none. */
    static void require(Object value, String name) {
        if (value == null) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, name + " is null");
        }
    }

    long bytes(long count, DataType type) {
        if (count < 0) {
            throw refused("count is negative: " + count);
        }
        if (type == null) {
            throw refused("type is null");
        }
        return times(count, type.sizeBytes());
    }

    long ofAllRanks(long bytes) {
        return times(bytes, nRanks);
    }

    void op(ReduceOp op, DataType type) {
        if (op == null) {
            throw refused("op is null");
        }
        if (op instanceof UserRedOp user && !gpu.isEmpty()) {
            throw refused("op is " + user.label() + ", a function that kernels of " + gpu + " cannot call; kernels of "
                    + "the host can, on memory of the host");
        }
        if (op instanceof PreMulSum scaled) {
            if (scaled.type() != type) {
                throw refused("op multiplies " + scaled.type() + ", and type is " + type);
            }
            if (scaled.isInMemory()) {
                input("the scalar of op", scaled.memory(), type.sizeBytes());
            }
        }
    }

    private long times(long count, long factor) {
        if (count > Long.MAX_VALUE / factor) {
            throw refused("count is too large: " + count + " times " + factor + " bytes is more than there can be");
        }
        return count * factor;
    }

    /** Either buffer at its offset is the same memory as the other one, or they have nothing in common. */
    void inPlaceOrApart(MemorySegment send, long sendOffset, MemorySegment recv, long recvOffset, long sendBytes,
            long recvBytes) {
        if (isOverlapping(send, sendBytes, recv, recvBytes)
                && send.address() + sendOffset != recv.address() + recvOffset) {
            throw refused("sendBuffer and recvBuffer overlap, and not as the call does it in place: sendBuffer at "
                    + (send.address() - recv.address()) + " bytes from recvBuffer's beginning");
        }
    }

    /** They have nothing in common, or are the same, as nccl-tests measures it. */
    void apart(MemorySegment send, MemorySegment recv) {
        boolean isSame = send.address() == recv.address() && send.byteSize() == recv.byteSize();
        if (!isSame && isOverlapping(send, send.byteSize(), recv, recv.byteSize())) {
            throw refused("sendBuffer and recvBuffer overlap, and are not the same memory");
        }
    }

    /** On the Java heap an address says where in the array, not in which. */
    private static boolean isOverlapping(MemorySegment one, long oneBytes, MemorySegment other, long otherBytes) {
        return oneBytes > 0 && otherBytes > 0 && one.address() < other.address() + otherBytes
                && other.address() < one.address() + oneBytes && one.isNative() == other.isNative()
                && (one.isNative() || one.heapBase().equals(other.heapBase()));
    }

    void rank(String name, int value) {
        if (value < 0 || value >= nRanks) {
            throw refused(name + " is " + value + ", there are " + nRanks + " ranks");
        }
    }

    /** For a call that is no part of a group. */
    void peer(String name, int value) {
        if (value == rank) {
            throw refused(name + " is this rank, " + rank);
        }
    }

    /** Sizes of ranks' parts and where they begin; where they must not, they have nothing in common. */
    void parts(String name, long[] counts, long[] displacements, DataType type, boolean mayOverlap) {
        if (type == null) {
            throw refused("type is null");
        }
        if (counts == null || displacements == null || counts.length != nRanks || displacements.length != nRanks) {
            throw refused("counts and displacements of " + name + " need " + nRanks + " elements, one for each rank");
        }
        long most = Long.MAX_VALUE / type.sizeBytes();
        long end = 0;
        boolean isAscending = true;
        for (int i = 0; i < nRanks; i++) {
            if (counts[i] < 0 || displacements[i] < 0 || counts[i] > most - displacements[i]) {
                throw refused("the part of rank " + i + " in " + name + " is " + counts[i] + " elements at "
                        + displacements[i]);
            }
            isAscending &= displacements[i] >= end || counts[i] == 0;
            end = Math.max(end, displacements[i] + counts[i]);
        }
        for (int i = 0; !mayOverlap && !isAscending && i < nRanks; i++) {
            apart(name, counts, displacements, i);
        }
    }

    private void apart(String name, long[] counts, long[] displacements, int one) {
        for (int other = one + 1; other < nRanks; other++) {
            if (displacements[one] < displacements[other] + counts[other]
                    && displacements[other] < displacements[one] + counts[one]) {
                throw refused("the parts of rank " + one + " and of rank " + other + " in " + name + " overlap");
            }
        }
    }

    /** What a rank sends to itself, it receives. */
    void ownPart(long sent, long received) {
        if (sent != received) {
            throw refused("sendCounts has " + sent + " elements for this rank itself, and recvCounts " + received);
        }
    }

    /** Whether both begin at the same place; on the Java heap that is not known from the address alone. */
    static boolean isSame(MemorySegment one, MemorySegment other) {
        return isSame(one, 0, other, 0);
    }

    static boolean isSame(MemorySegment one, long oneOffset, MemorySegment other, long otherOffset) {
        return one.address() + oneOffset == other.address() + otherOffset && one.isNative() == other.isNative()
                && (one.isNative() || one.heapBase().equals(other.heapBase()));
    }

    void input(String name, MemorySegment buffer, long bytes) {
        if (buffer == null) {
            throw refused(name + " is null");
        }
        if (buffer.byteSize() < bytes) {
            throw refused(name + " has " + buffer.byteSize() + " bytes, " + bytes + " are needed");
        }
        if (!buffer.scope().isAlive()) {
            throw refused(name + " was freed");
        }
        String whyNot = reach.whyNot(buffer, bytes);
        if (whyNot != null) {
            throw refused(name + whyNot);
        }
    }

    /** Of all of it. */
    void input(String name, MemorySegment buffer) {
        input(name, buffer, buffer == null ? 0 : buffer.byteSize());
    }

    /** Of all of it. */
    void output(String name, MemorySegment buffer) {
        output(name, buffer, buffer == null ? 0 : buffer.byteSize());
    }

    void output(String name, MemorySegment buffer, long bytes) {
        input(name, buffer, bytes);
        if (buffer.isReadOnly()) {
            throw refused(name + " is read-only");
        }
    }

    private ProxyException refused(String why) {
        return new ProxyException(ProxyResult.INVALID_ARGUMENT, "rank " + rank + ": " + why);
    }
}

/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.device;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import java.lang.foreign.MemorySegment;
import java.time.Duration;

/**
 * Work of a device that is done in its order, while the caller goes on: {@code cudaStream_t}, {@code
 * hipStream_t}. It does not wait for any other stream. One thread at a time; the methods that return an int neither
 * block nor allocate.
 */
public interface DeviceStream extends AutoCloseable {
    /** Longest argument block of a {@linkplain #launch launch}. */
    int MAX_ARGUMENT_BYTES = 4096;

    /**
     * Copies memory. The two ranges must not overlap, and neither may be freed before it is done. A GPU refuses to copy
     * from host memory to host memory, which its driver would not do without blocking.
     *
     * @param to         of this device, or {@linkplain Device#register registered} with it, or of a peer
     * @param toOffset   in bytes
     * @param from       as {@code to}
     * @param fromOffset in bytes
     * @param bytes      how many, from 0
     * @return 1 if the stream has taken it; 0 if it is full: query events, then try again; a negated
     *         {@link io.proxyrt.core.ProxyResult} code if it cannot be done
     */
    int copy(DeviceMemory to, long toOffset, DeviceMemory from, long fromOffset, long bytes);

    /**
     * Copies all that a list says, as one command where the device has such, in any order. What is on the stream
     * before it is done before, and what comes after it is done after.
     *
     * @param copies each of them one that {@link #copy} would do
     * @return as {@link #copy}: 1 if the stream has all of them, 0 if it is full, so that it has to be called again
     *         with the same list, which says what is left
     */
    default int copyAll(CopyList copies) {
        while (copies.taken() < copies.size()) {
            int next = copies.taken();
            int state = copy(copies.to(next), copies.toOffset(next), copies.from(next), copies.fromOffset(next),
                    copies.bytes(next));
            if (state <= 0) {
                return state;
            }
            copies.took(1);
        }
        return 1;
    }

    /**
     * Marks what is on the stream so far. In a capture, each launch of the graph does so.
     *
     * @param event of this device
     * @return as {@link #copy}
     */
    int record(DeviceEvent event);

    /**
     * Has the stream wait until all is done that was on another one when an event was recorded there last. It does not
     * matter to it if the event is recorded anew after this. In a capture, each launch of the graph waits for what was
     * recorded last before it.
     *
     * @param event of this device, or of a peer; one that was never recorded is complete
     * @return as {@link #copy}
     */
    int await(DeviceEvent event);

    /**
     * Stores a word when all before it is done, so that a thread can poll memory instead of an event.
     *
     * @param to     host memory of this device, or registered with it
     * @param offset in bytes, a multiple of 8
     * @param value  the word
     * @return as {@link #copy}
     */
    int write(DeviceMemory to, long offset, long value);

    /**
     * Starts a kernel when all before it is done: {@code cuLaunchKernel}, {@code hipModuleLaunchKernel} with their
     * argument buffer. Does not block; a device may allocate.
     *
     * @param kernel    of a module of this device
     * @param shape     how many threads
     * @param arguments the kernel's parameters, laid out as C does; native, at most {@link #MAX_ARGUMENT_BYTES}; copied
     *                  before this returns
     * @return as {@link #copy}
     */
    default int launch(DeviceKernel kernel, LaunchShape shape, MemorySegment arguments) {
        return -ProxyResult.INVALID_USAGE.code();
    }

    /**
     * Has a thread of the driver run a task when all before it is done; what comes after it waits for it: {@code
     * cudaLaunchHostFunc}. In a capture, each launch of the graph runs it, and it is forgotten with the graph. What it
     * throws is logged.
     *
     * @param task must be short, and must not use the device
     * @return as {@link #copy}
     */
    default int launchHost(Runnable task) {
        return -ProxyResult.INVALID_USAGE.code();
    }

    /**
     * Whether what is given to the stream is captured, by {@link #beginCapture} or by another library. Asks the driver,
     * so that the next calls know; does not block.
     *
     * @return false on a device without {@link DeviceCapability#GRAPHS}
     */
    default boolean isCapturing() {
        return false;
    }

    /**
     * Begins to capture what is given to the stream, instead of doing it: {@code cudaStreamBeginCapture}, relaxed.
     *
     * @throws ProxyException {@link ProxyResult#INVALID_USAGE} if the device has no {@link DeviceCapability#GRAPHS},
     *                        with what is missing, or the stream cannot be captured
     */
    default void beginCapture() {
        throw new ProxyException(ProxyResult.INVALID_USAGE, this + " cannot be captured: its device has no graphs");
    }

    /**
     * Ends a capture, and makes a graph of it: {@code cudaStreamEndCapture}, {@code cudaGraphInstantiate}.
     *
     * @return to be closed by the caller; closed with the device at the latest
     * @throws ProxyException {@link ProxyResult#INVALID_USAGE} if nothing is captured, or something was given to the
     *                        stream that cannot be; after that it is captured no more
     */
    default DeviceGraph endCapture() {
        throw new ProxyException(ProxyResult.INVALID_USAGE, this + " is not being captured");
    }

    /**
     * Looks whether all that was given to the stream is done.
     *
     * @return 1 if it is, 0 if it is not, a negated {@link io.proxyrt.core.ProxyResult} code if something failed
     */
    int query();

    /**
     * Waits until all that was given to the stream is done. Blocks.
     *
     * @param timeout longest wait
     * @throws io.proxyrt.core.ProxyException {@link io.proxyrt.core.ProxyResult#TIMEOUT}, or what failed
     */
    void synchronize(Duration timeout);

    /**
     * What the driver knows it by, for other libraries of this process: {@code cudaStream_t}, {@code hipStream_t}. They
     * may use it until it is closed, and must not destroy it.
     *
     * @return 0 if it is the driver's default stream, or has no driver
     */
    default long handle() {
        return 0;
    }

    /**
     * Why something on the stream failed, and with it all that came after; or else why the last call was refused, which
     * harms nothing.
     *
     * @return for people; empty if neither happened
     */
    String failure();

    /** Drops what has not begun, waits for what has, and gives the stream back. Idempotent, bounded. */
    @Override
    void close();
}

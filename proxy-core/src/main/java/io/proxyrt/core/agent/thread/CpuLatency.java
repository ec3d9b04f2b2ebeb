/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.agent.thread;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.ProxyConfig;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * How long the CPUs of this host may take to wake from idle, while this is open: Linux's {@code /dev/cpu_dma_latency}.
 * At 0 µs an idle CPU turns in the kernel's idle loop instead of going to sleep. It is as free for other threads as
 * before, and a thread that it is to run does so at once; what it costs is power, and on a virtual machine the host's
 * time. The limit ends with the process at the latest; of several, the least counts.
 */
public final class CpuLatency implements AutoCloseable {
    /** Where Linux takes such limits. */
    public static final Path DEVICE = Path.of("/dev/cpu_dma_latency");

    private final Path path;
    private final FileChannel device;
    private final int effectiveUs;

    private CpuLatency(Path path, FileChannel device, int effectiveUs) {
        this.path = path;
        this.device = device;
        this.effectiveUs = effectiveUs;
    }

    /**
     * Sets a limit. Does not block.
     *
     * @param path {@link #DEVICE}
     * @param us   microseconds, from 0
     * @return the limit, to be closed by the caller
     * @throws ProxyException {@link ProxyResult#INVALID_USAGE} if there is no such device,
     *                        {@link ProxyResult#SYSTEM_ERROR} if this process may not write it
     */
    public static CpuLatency limit(Path path, int us) {
        try {
            FileChannel device = FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE);
            try {
                return new CpuLatency(path, device, exchange(device, us));
            } catch (IOException e) {
                device.close();
                throw e;
            }
        } catch (NoSuchFileException e) {
            throw new ProxyException(ProxyResult.INVALID_USAGE, "there is no " + path
                    + "; only Linux has it, and a container only if it is given to it", e);
        } catch (IOException e) {
            throw new ProxyException(ProxyResult.SYSTEM_ERROR, "cannot hold " + path + ": " + e
                    + "; run as root, or let this user read and write it", e);
        }
    }

    /** Tells the device a limit. Returns the least of all. */
    private static int exchange(FileChannel device, int us) throws IOException {
        ByteBuffer word = ByteBuffer.allocate(Integer.BYTES).order(ByteOrder.nativeOrder());
        device.write(word.putInt(0, us));
        if (device.read(word.clear(), 0) != Integer.BYTES) {
            throw new IOException("it does not tell the limit");
        }
        return word.getInt(0);
    }

    /**
     * Sets what is asked for.
     *
     * @param config {@link CoreOptions#CPU_LATENCY}
     * @param rank   for messages
     * @return to be closed by the caller; null if nothing is asked for
     * @throws ProxyException as {@link #limit}
     */
    public static CpuLatency of(ProxyConfig config, int rank) {
        int us = config.get(CoreOptions.CPU_LATENCY);
        if (us < 0) {
            return null;
        }
        try {
            return limit(DEVICE, us);
        } catch (ProxyException e) {
            throw new ProxyException(e.result(), "rank " + rank + ": " + CoreOptions.CPU_LATENCY + ": "
                    + e.getMessage(), e);
        }
    }

    /**
     * Whether this process can set limits. Sets none that changes anything.
     *
     * @return false without the device, or the right to write it
     */
    public static boolean isPermitted() {
        try (CpuLatency none = limit(DEVICE, Integer.MAX_VALUE)) {
            return none.effectiveUs() >= 0;
        } catch (ProxyException e) {
            return false;
        }
    }

    /**
     * The least of all limits, when this was set.
     *
     * @return microseconds
     */
    public int effectiveUs() {
        return effectiveUs;
    }

    /**
     * Ends the limit.
     *
     * @throws ProxyException {@link ProxyResult#SYSTEM_ERROR} if the system refuses
     */
    @Override
    public void close() {
        try {
            device.close();
        } catch (IOException e) {
            throw new ProxyException(ProxyResult.SYSTEM_ERROR, "cannot close " + path + ": " + e, e);
        }
    }

    @Override
    public String toString() {
        return "idle CPUs wake within " + effectiveUs + " us";
    }
}

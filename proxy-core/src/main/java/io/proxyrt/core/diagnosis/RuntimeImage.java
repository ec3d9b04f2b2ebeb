/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.diagnosis;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.counters.CountersReader;
import io.proxyrt.core.directory.RuntimeDirectory;
import io.proxyrt.core.op.LaneFill;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.InflaterInputStream;

/**
 * A runtime at one moment, as its host sees it, on the way to another host: its counters file, how full its pool is,
 * and its process.
 *
 * @param time     of its host's clock
 * @param rank     of the job
 * @param pid      of its process
 * @param isAlive  whether that runs
 * @param process  empty if the system does not tell
 * @param lanes    of its pool
 * @param counters its file
 */
record RuntimeImage(Instant time, int rank, long pid, boolean isAlive, Optional<ProcessLook> process,
        List<LaneFill> lanes, byte[] counters) {
    private static final int VERSION = 1;
    private static final int MAX_BYTES = 8 << 20;
    private static final int MAX_THREADS = 65_536;
    private static final int MAX_LANES = 1024;

    /**
     * Takes one of a rank of the job that a runtime of this process is part of.
     *
     * @throws ProxyException if its files cannot be read
     */
    static Optional<RuntimeImage> of(ProxyConfig config, Path own, int rank) {
        RuntimeDirectory.Entry asked = RuntimeDirectory.find(own).orElse(null);
        Optional<HostLook.Job> job = asked == null ? Optional.empty() : HostLook.job(asked.counters());
        if (job.isEmpty() || asked.rank() == rank) {
            return job.map(_ -> take(asked));
        }
        return RuntimeDirectory.list(config).stream().filter(entry -> entry.rank() == rank
                && HostLook.job(entry.counters()).equals(job)).findFirst().map(RuntimeImage::take);
    }

    private static RuntimeImage take(RuntimeDirectory.Entry entry) {
        try (CountersReader reader = CountersReader.open(entry.counters())) {
            return new RuntimeImage(Instant.now(), entry.rank(), entry.pid(), entry.isAlive(), ProcessLook.at(entry),
                    RuntimeLook.lanes(entry), reader.image());
        }
    }

    /** For {@link #decode}. */
    byte[] encode() {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(new DeflaterOutputStream(bytes))) {
            out.writeInt(VERSION);
            out.writeLong(time.toEpochMilli());
            out.writeInt(rank);
            out.writeLong(pid);
            out.writeBoolean(isAlive);
            out.writeBoolean(process.isPresent());
            if (process.isPresent()) {
                write(process.get(), out);
            }
            out.writeInt(lanes.size());
            for (LaneFill lane : lanes) {
                out.writeInt(lane.capacity());
                out.writeLong(lane.pending());
                out.writeLong(lane.inFlight());
                out.writeLong(lane.posterPid());
            }
            out.write(counters);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    private static void write(ProcessLook process, DataOutputStream out) throws IOException {
        out.writeChar(process.state());
        out.writeDouble(process.cpuSeconds());
        out.writeInt(process.threads().size());
        for (ProcessLook.Task thread : process.threads()) {
            out.writeInt(thread.id());
            out.writeUTF(thread.name());
            out.writeDouble(thread.cpuSeconds());
            out.writeLong(thread.waitNs());
        }
    }

    /**
     * Undoes {@link #encode()}.
     *
     * @param bytes not to be trusted
     * @throws ProxyException {@link ProxyResult#REMOTE_ERROR} if it is none
     */
    static RuntimeImage decode(byte[] bytes) {
        try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(inflate(bytes)))) {
            int version = in.readInt();
            if (version != VERSION) {
                throw new IOException("it has version " + version + ", not " + VERSION);
            }
            return new RuntimeImage(Instant.ofEpochMilli(in.readLong()), in.readInt(), in.readLong(),
                    in.readBoolean(), in.readBoolean() ? Optional.of(process(in)) : Optional.empty(), lanes(in),
                    in.readAllBytes());
        } catch (IOException e) {
            throw new ProxyException(ProxyResult.REMOTE_ERROR, "what a rank tells of itself cannot be read: "
                    + e.getMessage(), e);
        }
    }

    private static byte[] inflate(byte[] bytes) throws IOException {
        byte[] all = new InflaterInputStream(new ByteArrayInputStream(bytes)).readNBytes(MAX_BYTES + 1);
        if (all.length > MAX_BYTES) {
            throw new IOException("it is longer than " + MAX_BYTES + " bytes");
        }
        return all;
    }

    private static ProcessLook process(DataInputStream in) throws IOException {
        char state = in.readChar();
        double cpuSeconds = in.readDouble();
        List<ProcessLook.Task> threads = new ArrayList<>();
        for (int left = length(in, MAX_THREADS); left > 0; left--) {
            threads.add(new ProcessLook.Task(in.readInt(), in.readUTF(), in.readDouble(), in.readLong()));
        }
        return new ProcessLook(state, cpuSeconds, threads);
    }

    private static List<LaneFill> lanes(DataInputStream in) throws IOException {
        List<LaneFill> lanes = new ArrayList<>();
        int count = length(in, MAX_LANES);
        for (int lane = 0; lane < count; lane++) {
            int capacity = in.readInt();
            lanes.add(new LaneFill(lane, capacity, Math.clamp(in.readLong(), 0, Math.max(0, capacity)),
                    Math.clamp(in.readLong(), 0, Math.max(0, capacity)), in.readLong()));
        }
        return lanes;
    }

    private static int length(DataInputStream in, int most) throws IOException {
        int length = in.readInt();
        if (length < 0 || length > most) {
            throw new IOException("it claims to hold " + length + " of something, of " + most + " at most");
        }
        return length;
    }
}

/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.op;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.platform.OwnFile;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads how full the lanes of an ops pool are, from outside of its process, while that runs, is stopped or dead. The
 * file is read, not mapped, and nothing that stands there is believed.
 */
public final class OpsPoolReader {
    private static final int MAX_LANES = 1024;

    private OpsPoolReader() {
    }

    /**
     * Looks at all lanes.
     *
     * @param path as {@code RuntimeDirectory.Entry.ops()} gives it
     * @return by number
     * @throws ProxyException {@link ProxyResult#SYSTEM_ERROR} if there is no plain file of this user with that name,
     *                        or it cannot be read, {@link ProxyResult#INVALID_ARGUMENT} if it holds no ops pool, not
     *                        yet, or one of another version
     */
    public static List<LaneFill> read(Path path) {
        try (FileChannel channel = OwnFile.open(path, StandardOpenOption.READ)) {
            return read(path, channel);
        } catch (IOException e) {
            throw new ProxyException(ProxyResult.SYSTEM_ERROR, path + " cannot be read: " + e, e);
        }
    }

    private static List<LaneFill> read(Path path, FileChannel channel) throws IOException {
        ByteBuffer header = read(channel, 0, (int) OpsPoolDescriptor.HEADER_BYTES);
        int version = header.getInt((int) OpsPoolDescriptor.VERSION_OFFSET);
        int lanes = header.getInt((int) OpsPoolDescriptor.LANES_OFFSET);
        int capacity = header.getInt((int) OpsPoolDescriptor.CAPACITY_OFFSET);
        if (header.getLong(0) != OpsPoolDescriptor.MAGIC || version != OpsPoolDescriptor.VERSION) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, path + " is not ready, or holds no ops pool of "
                    + "version " + OpsPoolDescriptor.VERSION + ", the one that this program reads");
        }
        if (lanes < 0 || lanes > MAX_LANES || capacity < 1
                || OpsPoolDescriptor.fileBytes(lanes, capacity) > channel.size()) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, path + " claims to hold " + lanes + " lanes of "
                    + capacity + " ops in " + channel.size() + " bytes");
        }
        List<LaneFill> fills = new ArrayList<>();
        for (int lane = 0; lane < lanes; lane++) {
            fills.add(fill(channel, lane, capacity));
        }
        return fills;
    }

    /** In this order none is behind the one that was read before it: all only grow. */
    private static LaneFill fill(FileChannel channel, int lane, int capacity) throws IOException {
        long offset = OpsPoolDescriptor.laneOffset(lane, capacity);
        long completed = readLong(channel, offset + OpsPoolDescriptor.COMPLETED_OFFSET);
        long fetched = readLong(channel, offset + OpsPoolDescriptor.FETCHED_OFFSET);
        long posted = readLong(channel, offset + OpsPoolDescriptor.POSTED_OFFSET);
        return new LaneFill(lane, capacity, Math.clamp(posted - fetched, 0, capacity),
                Math.clamp(fetched - completed, 0, capacity),
                readLong(channel, offset + OpsPoolDescriptor.OWNER_OFFSET));
    }

    private static long readLong(FileChannel channel, long offset) throws IOException {
        return read(channel, offset, Long.BYTES).getLong(0);
    }

    private static ByteBuffer read(FileChannel channel, long offset, int bytes) throws IOException {
        ByteBuffer buffer = ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
        while (buffer.hasRemaining()) {
            if (channel.read(buffer, offset + buffer.position()) < 0) {
                throw new EOFException("it ends at byte " + channel.size());
            }
        }
        return buffer;
    }
}

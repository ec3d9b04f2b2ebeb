/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.device.host;

import io.proxyrt.core.ProcessIdentity;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Where another process of the same user finds memory of a host device: a descriptor's number in the process that owns
 * it. The number may name another file by the time it is used, and so may the process's; the inode may not.
 *
 * <pre>
 *   0       4         8     16      24          32   36   40      48      56
 *  +-------+---------+-----+-------+-----------+----+----+-------+-------+
 *  | magic | version | pid | start | namespace | fd | 0  | inode | bytes |
 *  +-------+---------+-----+-------+-----------+----+----+-------+-------+
 * </pre>
 */
record HostIpcHandle(ProcessIdentity owner, int fd, long inode, long bytes) {
    private static final int BYTES = 56;
    private static final int MAGIC = 0x48_58_52_50;
    private static final int VERSION = 1;
    /** What memory of a host device is called; nothing else is opened. */
    private static final String LINK = "/memfd:" + HostDevice.MEMORY_NAME;

    static HostIpcHandle of(int fd, long bytes) {
        return new HostIpcHandle(ProcessIdentity.current(), fd, inode(fd), bytes);
    }

    byte[] encode() {
        return ByteBuffer.allocate(BYTES).order(ByteOrder.LITTLE_ENDIAN).putInt(MAGIC).putInt(VERSION)
                .putLong(owner.pid()).putLong(owner.start()).putLong(owner.namespace()).putInt(fd).putInt(0)
                .putLong(inode).putLong(bytes).array();
    }

    static HostIpcHandle decode(byte[] handle) {
        ByteBuffer in = ByteBuffer.wrap(handle).order(ByteOrder.LITTLE_ENDIAN);
        if (handle.length != BYTES || in.getInt() != MAGIC || in.getInt() != VERSION) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, handle.length
                    + " bytes that are no handle of a host device's memory of this version");
        }
        ProcessIdentity owner = new ProcessIdentity(in.getLong(), in.getLong(), in.getLong());
        int fd = in.getInt();
        in.getInt();
        HostIpcHandle decoded = new HostIpcHandle(owner, fd, in.getLong(), in.getLong());
        if (owner.pid() < 1 || fd < 0 || decoded.bytes < 1) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, "a handle of a host device's memory that cannot be: "
                    + decoded);
        }
        return decoded;
    }

    /** Where the owner has it, if that is still memory of a host device. */
    Path path() {
        if (owner.namespace() != ProcessIdentity.current().namespace()) {
            throw new ProxyException(ProxyResult.INVALID_USAGE, this + " cannot be opened from another PID namespace;"
                    + " pass a file descriptor");
        }
        Path path = Path.of("/proc/" + owner.pid() + "/fd/" + fd);
        try {
            if (Files.readSymbolicLink(path).toString().startsWith(LINK)) {
                return path;
            }
        } catch (AccessDeniedException e) {
            throw new ProxyException(ProxyResult.INVALID_USAGE, this + " belongs to a process that this user may not"
                    + " look into", e);
        } catch (IOException e) {
            throw new ProxyException(ProxyResult.REMOTE_ERROR, this + ": the process has ended, or freed it", e);
        }
        throw new ProxyException(ProxyResult.REMOTE_ERROR, this + " was freed");
    }

    /** Whether an open descriptor of this process is what was meant, and its owner still there. */
    boolean isIt(int opened) {
        return inode(opened) == inode && owner.isAlive();
    }

    private static long inode(int fd) {
        try {
            return (long) Files.getAttribute(Path.of("/proc/self/fd/" + fd), "unix:ino");
        } catch (IOException | UnsupportedOperationException e) {
            throw new ProxyException(ProxyResult.SYSTEM_ERROR, "cannot tell what file descriptor " + fd + " is: " + e,
                    e);
        }
    }

    @Override
    public String toString() {
        return "memory of " + bytes + " bytes, file descriptor " + fd + " of process " + owner.pid();
    }
}

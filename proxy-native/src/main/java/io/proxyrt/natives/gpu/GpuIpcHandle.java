/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.natives.gpu;

import io.proxyrt.core.OwnedFd;
import io.proxyrt.core.ProcessIdentity;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.device.Device;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * A driver's handle, and what it does not say: how much memory it is of, and whether that is still there. A driver may
 * open a handle whose memory was freed, and give whatever is there now. So the owner has a token, a file without a
 * name, open as long as the memory is allocated: its inode is unique.
 *
 * <pre>
 *   0       4      8     16      24          32   36    40      48       56      64       128
 *  +-------+------+-----+-------+-----------+----+-----+-------+--------+-------+--------+
 *  | magic | kind | pid | start | namespace | fd |  0  | inode | offset | bytes | driver |
 *  +-------+------+-----+-------+-----------+----+-----+-------+--------+-------+--------+
 * </pre>
 *
 * @param kind   of device, at most four letters
 * @param fd     of the token, in the owner
 * @param inode  of the token
 * @param offset of the memory in what the driver's handle is of: where the first page begins
 * @param bytes  of the memory
 * @param driver the driver's handle
 */
record GpuIpcHandle(String kind, ProcessIdentity owner, int fd, long inode, long offset, long bytes, byte[] driver) {
    private static final int BYTES = Device.MAX_IPC_HANDLE_BYTES;
    private static final int MAGIC = 0x31_47_52_50;
    private static final int KIND_BYTES = 4;
    private static final String TOKEN = "proxyrt-token:";

    /** What a token is called. */
    static String token(String device) {
        return TOKEN + device;
    }

    /** Of memory of this process. */
    static GpuIpcHandle of(String kind, OwnedFd token, long offset, long bytes, byte[] driver) {
        return token.use(number -> new GpuIpcHandle(kind, ProcessIdentity.current(), number,
                inode(Path.of("/proc/self/fd/" + number)), offset, bytes, driver));
    }

    byte[] encode() {
        byte[] name = Arrays.copyOf(kind.getBytes(StandardCharsets.UTF_8), KIND_BYTES);
        return ByteBuffer.allocate(BYTES).order(ByteOrder.LITTLE_ENDIAN).putInt(MAGIC).put(name).putLong(owner.pid())
                .putLong(owner.start()).putLong(owner.namespace()).putInt(fd).putInt(0).putLong(inode).putLong(offset)
                .putLong(bytes).put(driver).array();
    }

    /** Not to be trusted. */
    static GpuIpcHandle decode(String kind, byte[] handle) {
        ByteBuffer in = ByteBuffer.wrap(handle).order(ByteOrder.LITTLE_ENDIAN);
        if (handle.length != BYTES || in.getInt() != MAGIC || !kind.equals(kind(in))) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, handle.length + " bytes that are no handle of memory"
                    + " of a device of kind " + kind);
        }
        ProcessIdentity owner = new ProcessIdentity(in.getLong(), in.getLong(), in.getLong());
        int fd = in.getInt();
        in.getInt();
        long inode = in.getLong();
        long offset = in.getLong();
        long bytes = in.getLong();
        byte[] driver = new byte[GpuApi.IPC_HANDLE_BYTES];
        in.get(driver);
        GpuIpcHandle decoded = new GpuIpcHandle(kind, owner, fd, inode, offset, bytes, driver);
        if (owner.pid() < 1 || fd < 0 || offset < 0 || offset >= GpuAllocator.PAGE || bytes < 1
                || bytes > GpuAllocator.MAX_FOREIGN_BYTES) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, "a handle that cannot be: of " + decoded);
        }
        return decoded;
    }

    /** Sees that the memory is another process's, and allocated. */
    void check() {
        if (owner.namespace() != ProcessIdentity.current().namespace()) {
            throw new ProxyException(ProxyResult.INVALID_USAGE, this + " cannot be opened from another PID namespace;"
                    + " pass a file descriptor");
        }
        if (owner.equals(ProcessIdentity.current())) {
            throw new ProxyException(ProxyResult.INVALID_USAGE, this + " cannot be opened in its own process, which has"
                    + " it already");
        }
        checkToken();
    }

    void checkToken() {
        if (!owner.isAlive() || !isHeld()) {
            throw new ProxyException(ProxyResult.REMOTE_ERROR, this + " was freed, or its process has ended");
        }
    }

    /** Whether the owner still has the token. */
    private boolean isHeld() {
        Path path = Path.of("/proc/" + owner.pid() + "/fd/" + fd);
        try {
            return Files.readSymbolicLink(path).toString().startsWith("/memfd:" + TOKEN) && inode(path) == inode;
        } catch (AccessDeniedException e) {
            throw new ProxyException(ProxyResult.INVALID_USAGE, this + " belongs to a process that this user may not"
                    + " look into", e);
        } catch (IOException | ProxyException e) {
            return false;
        }
    }

    private static long inode(Path path) {
        try {
            return (long) Files.getAttribute(path, "unix:ino");
        } catch (IOException | UnsupportedOperationException e) {
            throw new ProxyException(ProxyResult.SYSTEM_ERROR, "cannot tell what " + path + " is: " + e, e);
        }
    }

    private static String kind(ByteBuffer in) {
        byte[] name = new byte[KIND_BYTES];
        in.get(name);
        return new String(name, StandardCharsets.UTF_8).replace("\0", "");
    }

    @Override
    public String toString() {
        return "memory of " + bytes + " bytes of a " + kind + " device of process " + owner.pid();
    }
}

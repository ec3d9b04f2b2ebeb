/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.natives.verbs;

import static io.proxyrt.natives.verbs.IbvLibrary.MEMORY;
import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import io.proxyrt.core.verbs.CompletionQueue;
import io.proxyrt.core.verbs.Gid;
import io.proxyrt.core.verbs.ProtectionDomain;
import io.proxyrt.core.verbs.VerbsContext;
import io.proxyrt.core.verbs.VerbsDevice;
import io.proxyrt.core.verbs.VerbsEvent;
import io.proxyrt.core.verbs.VerbsPort;
import io.proxyrt.natives.CFunction;
import io.proxyrt.natives.Errno;
import io.proxyrt.natives.LinuxPlatform;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout.OfLong;
import java.nio.ByteOrder;
import java.nio.file.Path;

/** {@code ibv_context}. */
final class LibContext implements VerbsContext {
    private static final OfLong BIG_ENDIAN = JAVA_LONG.withOrder(ByteOrder.BIG_ENDIAN);
    private static final int MAX_PORT = 255;

    private final IbvLibrary library;
    private final String device;
    private final SysfsDevice sysfs;
    private final LinuxPlatform platform = new LinuxPlatform();
    private final IbvObject object;
    private final CFunction pollCq;
    private final CFunction postSend;
    private final CFunction postRecv;

    /** Opens a device, while it is in a list. */
    LibContext(IbvLibrary library, long listed) {
        this.library = library;
        this.device = LibVerbs.text(listed, IbvLayout.DEVICE_NAME);
        this.sysfs = new SysfsDevice(Path.of(LibVerbs.text(listed, IbvLayout.DEVICE_IBDEV_PATH)));
        Path file = Path.of("/dev/infiniband", LibVerbs.text(listed, IbvLayout.DEVICE_DEV_NAME));
        this.object = IbvObject.ofDevice("RDMA device " + device, library.closeDevice);
        int errno = object.make(state -> IbvCalls.pointer(library.openDevice, state, listed));
        if (errno != 0) {
            throw IbvErrors.open(device, file, errno);
        }
        this.pollCq = operation("ibv_poll_cq", IbvLayout.CONTEXT_POLL_CQ);
        this.postSend = operation("ibv_post_send", IbvLayout.CONTEXT_POST_SEND);
        this.postRecv = operation("ibv_post_recv", IbvLayout.CONTEXT_POST_RECV);
    }

    /** What is a function in C is a pointer to the driver's own. */
    private CFunction operation(String name, long offset) {
        return new CFunction(name, MEMORY.get(ADDRESS, object.address() + offset));
    }

    @Override
    public String device() {
        return device;
    }

    @Override
    public String pciPath() {
        return sysfs.pciPath();
    }

    @Override
    public VerbsDevice query() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment a = arena.allocate(IbvLayout.DEVICE_ATTR_BYTES, Long.BYTES);
            MemorySegment errno = Errno.capture(arena);
            int result = IbvCalls.call(library.queryDevice, errno, object.openAddress(), a.address());
            check("cannot ask for the attributes of " + device, result, errno);
            return new VerbsDevice(a.getString(IbvLayout.FW_VER), a.get(BIG_ENDIAN, IbvLayout.NODE_GUID),
                    a.get(JAVA_INT, IbvLayout.VENDOR_ID), a.get(JAVA_LONG, IbvLayout.MAX_MR_SIZE),
                    a.get(JAVA_INT, IbvLayout.MAX_MR), a.get(JAVA_INT, IbvLayout.MAX_QP),
                    a.get(JAVA_INT, IbvLayout.MAX_QP_WR), a.get(JAVA_INT, IbvLayout.MAX_SGE),
                    a.get(JAVA_INT, IbvLayout.MAX_CQE), a.get(JAVA_INT, IbvLayout.MAX_QP_RD_ATOM),
                    Byte.toUnsignedInt(a.get(JAVA_BYTE, IbvLayout.PHYS_PORT_CNT)));
        }
    }

    @Override
    public VerbsPort port(int port) {
        String what = "cannot ask for port " + port + " of " + device;
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment a = arena.allocate(IbvLayout.PORT_ATTR_BYTES, Long.BYTES);
            MemorySegment errno = Errno.capture(arena);
            int result = IbvCalls.queryPort(library.queryPort, errno, object.openAddress(), portNumber(what, port),
                    a.address());
            check(what, result, errno);
            return new VerbsPort(a.get(JAVA_INT, IbvLayout.PORT_STATE), a.get(JAVA_INT, IbvLayout.ACTIVE_MTU),
                    a.get(JAVA_INT, IbvLayout.GID_TBL_LEN),
                    Integer.toUnsignedLong(a.get(JAVA_INT, IbvLayout.MAX_MSG_SZ)),
                    Short.toUnsignedInt(a.get(JAVA_SHORT, IbvLayout.LID)), a.get(JAVA_BYTE, IbvLayout.LINK_LAYER),
                    Byte.toUnsignedInt(a.get(JAVA_BYTE, IbvLayout.ACTIVE_WIDTH)),
                    Byte.toUnsignedInt(a.get(JAVA_BYTE, IbvLayout.ACTIVE_SPEED)));
        }
    }

    @Override
    public Gid gid(int port, int index) {
        String what = "cannot ask for GID " + index + " of port " + port + " of " + device;
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment gid = arena.allocate(IbvLayout.GID_BYTES, Long.BYTES);
            MemorySegment errno = Errno.capture(arena);
            int result = IbvCalls.queryGid(library.queryGid, errno, object.openAddress(), portNumber(what, port),
                    index, gid.address());
            check(what, result, errno);
            return new Gid(gid.get(BIG_ENDIAN, 0), gid.get(BIG_ENDIAN, Long.BYTES), sysfs.gidKind(port, index));
        }
    }

    /** The library takes a byte. */
    private static int portNumber(String what, int port) {
        if (port < 1 || port > MAX_PORT) {
            throw Errno.failure(what, Errno.EINVAL, "");
        }
        return port;
    }

    private static void check(String what, int result, MemorySegment errno) {
        if (result != 0) {
            throw Errno.failure(what, IbvErrors.errno(result, errno), "");
        }
    }

    @Override
    public ProtectionDomain protectionDomain() {
        return new LibDomain(this);
    }

    @Override
    public CompletionQueue completionQueue(int entries) {
        return new LibQueue(this, entries);
    }

    @Override
    public VerbsEvent awaitEvent(long maxNs) {
        int fd = object.read(JAVA_INT, IbvLayout.CONTEXT_ASYNC_FD);
        if (!platform.await(fd, false, maxNs)) {
            return null;
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment event = arena.allocate(IbvLayout.ASYNC_EVENT_BYTES, Long.BYTES);
            MemorySegment errno = Errno.capture(arena);
            int result = IbvCalls.call(library.getAsyncEvent, errno, object.openAddress(), event.address());
            check("cannot get an event of " + device + ", which may be gone", result, errno);
            int type = event.get(JAVA_INT, IbvLayout.EVENT_TYPE);
            int port = isOfPort(type) ? event.get(JAVA_INT, IbvLayout.EVENT_ELEMENT) : 0;
            // Until it is acknowledged nothing destroys the queue pair.
            int pair = isOfPair(type) ? number(event.get(JAVA_LONG, IbvLayout.EVENT_ELEMENT)) : 0;
            IbvCalls.callVoid(library.ackAsyncEvent, event.address());
            return new VerbsEvent(type, port, pair);
        }
    }

    @SuppressWarnings("restricted")
    private static int number(long pair) {
        return MemorySegment.ofAddress(pair).reinterpret(IbvLayout.QP_NUM + Integer.BYTES)
                .get(JAVA_INT, IbvLayout.QP_NUM);
    }

    private static boolean isOfPair(int type) {
        return switch (type) {
            case VerbsEvent.QP_FATAL, VerbsEvent.QP_REQ_ERR, VerbsEvent.QP_ACCESS_ERR -> true;
            default -> false;
        };
    }

    private static boolean isOfPort(int type) {
        return switch (type) {
            case VerbsEvent.PORT_ACTIVE, VerbsEvent.PORT_ERR, VerbsEvent.GID_CHANGE, IbvLayout.EVENT_LID_CHANGE,
                    IbvLayout.EVENT_PKEY_CHANGE, IbvLayout.EVENT_SM_CHANGE, IbvLayout.EVENT_CLIENT_REREGISTER -> true;
            default -> false;
        };
    }

    IbvLibrary library() {
        return library;
    }

    IbvObject object() {
        return object;
    }

    CFunction pollCq() {
        return pollCq;
    }

    CFunction postSend() {
        return postSend;
    }

    CFunction postRecv() {
        return postRecv;
    }

    @Override
    public void close() {
        object.close();
    }
}

/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.external;

import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.plugin.NetLibrary;
import io.proxyrt.core.plugin.PluginLibrary;
import io.proxyrt.transport.net.spi.NetMemory;
import io.proxyrt.transport.net.spi.NetRecvComm;

/** The receiving end of a connection. */
final class ExternalRecvComm extends ExternalComm implements NetRecvComm {
    /** Of all connections that may share a comm; a flush cannot be refused. */
    private static final int MAX_FLUSHES = 512;

    private final ExternalRequests flushes = new ExternalRequests(this, 1, MAX_FLUSHES, 0);

    ExternalRecvComm(ExternalNet net, ExternalDevice device, long comm) {
        super(net, device, comm);
    }

    @Override
    public long irecv(int n, NetMemory[] memories, long[] offsets, long[] sizes, int[] tags) {
        return irecv(n, memories, offsets, sizes, tags, false);
    }

    @Override
    public long irecvUntracked(NetMemory[] memories, long[] offsets, long[] sizes, int[] tags) {
        return irecv(1, memories, offsets, sizes, tags, true);
    }

    private long irecv(int n, NetMemory[] memories, long[] offsets, long[] sizes, int[] tags, boolean isOptional) {
        if (isFailed()) {
            return code();
        }
        if (n < 1 || n > device.properties().maxRecvs()) {
            return refuse(n + " messages at once; " + device.describe(library) + " receives up to "
                    + device.properties().maxRecvs());
        }
        for (int i = 0; i < n; i++) {
            if (!describe(i, memories[i], offsets[i], sizes[i], tags[i])) {
                return REFUSED;
            }
        }
        return messages.hasRoom() ? post(n, sizes, isOptional) : 0;
    }

    private boolean describe(int index, NetMemory memory, long offset, long bytes, int tag) {
        ExternalMemory own = checked(memory, offset, bytes);
        if (own != null) {
            words.message(index, own.address() + offset, bytes, tag, own.mhandle());
        }
        return own != null;
    }

    private long post(int n, long[] sizes, boolean isOptional) {
        long hint = isOptional ? NetLibrary.OPTIONAL_RECV_COMPLETION : 0;
        words.request(hint);
        int code = library.irecv(comm, n, words);
        if (PluginLibrary.isError(code)) {
            return fail("irecv", code);
        }
        long pointer = words.request();
        if (pointer == 0 || pointer == hint) {
            return 0;
        }
        for (int i = 0; i < n; i++) {
            messages.size(i, sizes[i]);
        }
        return messages.post(pointer, n, isOptional);
    }

    @Override
    public long iflush(int n, NetMemory[] memories, long[] offsets, long[] sizes) {
        if (isFailed()) {
            return code();
        }
        int count = 0;
        for (int i = 0; i < n; i++) {
            if (sizes[i] > 0) {
                if (!describe(count, memories[i], offsets[i], sizes[i], 0)) {
                    return REFUSED;
                }
                count++;
            }
        }
        return count == 0 || !device.isFlushing() ? 0 : flush(count);
    }

    private long flush(int n) {
        if (!flushes.hasRoom()) {
            return fail(ProxyResult.INTERNAL_ERROR, MAX_FLUSHES + " flushes of " + device.describe(library)
                    + " are under way, and none may be left out");
        }
        words.request(0);
        int code = library.iflush(comm, n, words);
        if (PluginLibrary.isError(code)) {
            return fail("iflush", code);
        }
        long pointer = words.request();
        return pointer == 0 ? 0 : flushes.post(pointer, 0, false);
    }

    @Override
    public int test(long request, long[] sizes) {
        return flushes.isOwn(request) ? flushes.test(request, sizes) : super.test(request, sizes);
    }

    @Override
    int settle(ExternalRequests requests, int place) {
        if (requests == flushes) {
            return 1;
        }
        int wrong = requests.takeSizes(place);
        if (wrong >= 0) {
            return failSize(words.actual(wrong), requests.posted(place, wrong));
        }
        // Earlier than NCCL says it, for nothing is left to be unpacked; a plug-in may free its request only now.
        int code = library.irecvConsumed(comm, requests.count(place), requests.pointer(place));
        return PluginLibrary.isError(code) ? fail("irecvConsumed", code) : 1;
    }

    private int failSize(int actual, long posted) {
        return actual < 0
                ? fail(ProxyResult.INTERNAL_ERROR, device.describe(library) + " says that a message of " + actual
                        + " bytes came")
                : fail(ProxyResult.INVALID_USAGE, "a message of " + actual + " bytes came by "
                        + device.describe(library) + " for a receive of " + posted);
    }

    @Override
    void closeComm() {
        library.closeRecv(comm);
    }
}

/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.collnet.external;

import io.proxyrt.core.CollNetWindow;
import io.proxyrt.core.DataType;
import io.proxyrt.core.RedOp;
import io.proxyrt.core.plugin.CollNetBuffer;
import io.proxyrt.core.plugin.CollNetLibrary;
import io.proxyrt.core.plugin.CollNetParts;
import io.proxyrt.core.plugin.NetWords;

/** The data calls of a comm, and what they are told, which is used again and again. Returns the plug-in's codes. */
final class ExternalCalls {
    private final CollNetLibrary library;
    private final long comm;
    private final NetWords words = new NetWords();
    private final CollNetBuffer send = new CollNetBuffer();
    private final CollNetBuffer recv = new CollNetBuffer();
    private final CollNetParts parts = new CollNetParts(1);

    ExternalCalls(CollNetLibrary library, long comm) {
        this.library = library;
        this.comm = comm;
    }

    NetWords words() {
        return words;
    }

    int iallreduce(ExternalMemory from, long fromOffset, ExternalMemory to, long toOffset, long count, DataType type,
            RedOp op) {
        words.request(0);
        return library.iallreduce(comm, set(send, from, fromOffset), set(recv, to, toOffset), count, type, op, words);
    }

    int iallgather(ExternalMemory from, long fromOffset, ExternalMemory to, long toOffset, CollNetWindow window) {
        words.request(0);
        parts.part(0, to.mhandle(), to.address() + toOffset, window.bytes());
        return library.iallgather(comm, set(send, from, fromOffset), parts, window, words);
    }

    int ireducescatter(ExternalMemory from, long fromOffset, ExternalMemory to, long toOffset, CollNetWindow window,
            DataType type, RedOp op) {
        words.request(0);
        parts.part(0, from.mhandle(), from.address() + fromOffset, window.bytes());
        return library.ireducescatter(comm, parts, set(recv, to, toOffset), window, type, op, words);
    }

    int iflush(ExternalMemory of, long offset, int bytes) {
        words.request(0);
        return library.iflush(comm, set(recv, of, offset), bytes, words);
    }

    int test(long request) {
        words.beforeTest(1);
        return library.test(request, words);
    }

    private static CollNetBuffer set(CollNetBuffer buffer, ExternalMemory memory, long offset) {
        return buffer.set(memory.address() + offset, memory.mhandle());
    }
}

/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.rig;

import io.proxyrt.bootstrap.BootstrapRoot;
import io.proxyrt.bootstrap.UniqueId;
import io.proxyrt.collectives.Communicator;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;

/** One of two ranks in processes of their own, which send each other messages as applications do. One thread. */
final class CommEnd extends End implements Messages {
    static final int RANKS = 2;
    private static final long PAGE_BYTES = 4096;

    private final boolean isApart;
    private final Communicator communicator;
    private final int peer;
    private final Arena arena = Arena.ofShared();
    private final MemorySegment sendBuffer;
    private final MemorySegment recvBuffer;

    /** With buffers that the communicator allocates or, if they are not to be registered, does not know. */
    CommEnd(int number, RigArguments arguments, Talk other) {
        isApart = arguments.isTrue("apart");
        peer = RANKS - 1 - number;
        onClose(arena::close);
        try {
            UniqueId id = number == 0 ? open(other) : UniqueId.parse(other.line());
            Pinning.pin(arguments, number);
            communicator = Communicator.init(id, number, RANKS, RigArguments.config(arguments.options()).build());
            onClose(communicator::close);
            sendBuffer = allocate(arguments);
            recvBuffer = allocate(arguments);
        } catch (Throwable t) {
            try {
                close();
            } catch (RuntimeException e) {
                t.addSuppressed(e);
            }
            throw t;
        }
    }

    /** Tells the other end where to meet. */
    private UniqueId open(Talk other) {
        BootstrapRoot root = root();
        onClose(() -> {
            // The other rank says goodbye to the root, which is here.
            try {
                other.end();
            } finally {
                root.close();
            }
        });
        other.tell(root.id().toString());
        return root.id();
    }

    /** Where two ranks meet. */
    static BootstrapRoot root() {
        return BootstrapRoot.open(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), RANKS);
    }

    private MemorySegment allocate(RigArguments arguments) {
        long bytes = CommStreamRig.bufferBytes(arguments);
        MemorySegment memory = arguments.isTrue("registered") ? communicator.allocate(bytes).segment()
                : arena.allocate(bytes, PAGE_BYTES);
        return memory.fill((byte) 1);
    }

    @Override
    Messages messages() {
        return this;
    }

    @Override
    public void obey(String[] order, Talk rig) {
        if (order[0].equals("stream")) {
            rig.tell(CommStreamRig.stream(this, isApart, Long.parseLong(order[1]), Long.parseLong(order[2])));
        } else {
            super.obey(order, rig);
        }
    }

    @Override
    public MemorySegment sendBuffer() {
        return sendBuffer;
    }

    @Override
    public MemorySegment recvBuffer() {
        return recvBuffer;
    }

    @Override
    public void send(long bytes) {
        launchSend(sendBuffer.asSlice(0, bytes));
        synchronize();
    }

    @Override
    public void receive(long bytes) {
        launchReceive(recvBuffer.asSlice(0, bytes));
        synchronize();
    }

    void launchSend(MemorySegment message) {
        communicator.send(message, peer);
    }

    void launchReceive(MemorySegment message) {
        communicator.recv(message, peer);
    }

    void synchronize() {
        communicator.synchronize();
    }
}

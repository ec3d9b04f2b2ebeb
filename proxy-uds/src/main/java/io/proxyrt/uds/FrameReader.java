/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.uds;

import io.proxyrt.core.OwnedFd;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.platform.UnixSockets;
import io.proxyrt.core.progress.MemorySharing;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * Collects the bytes of one frame, and the descriptors that come with them. Never reads beyond it, so that what comes
 * with the next one cannot be mistaken for its own.
 */
final class FrameReader {
    private final ByteBuffer bytes = ByteBuffer.allocate(UdsFrameDescriptor.FRAME_BYTES);
    private final List<OwnedFd> fds = new ArrayList<>();

    /**
     * Reads on.
     *
     * @return bytes that came, 0 for none, or {@link UnixSockets#END}
     * @throws ProxyException {@link ProxyResult#REMOTE_ERROR} if there come more descriptors than a frame has
     */
    int read(UnixSockets.Socket socket) {
        int count = socket.receive(bytes, fds::add);
        if (count == UnixSockets.TRUNCATED) {
            throw new ProxyException(ProxyResult.REMOTE_ERROR, "sent descriptors that this process has no room for; "
                    + "raise its limit (ulimit -n)");
        }
        if (fds.size() > MemorySharing.MAX_FDS) {
            throw new ProxyException(ProxyResult.REMOTE_ERROR, "sent " + fds.size() + " descriptors at once");
        }
        return count;
    }

    boolean isEmpty() {
        return bytes.position() == 0;
    }

    boolean isComplete() {
        return !bytes.hasRemaining();
    }

    /** A complete frame's, from position to limit; valid until {@link #reset()}. */
    ByteBuffer frameBytes() {
        return bytes.duplicate().flip();
    }

    /**
     * The complete frame.
     *
     * @throws ProxyException {@link ProxyResult#REMOTE_ERROR} if it is none, or has other descriptors than it says
     */
    UdsFrame frame() {
        UdsFrame frame = UdsFrame.read(bytes);
        if (frame.fds() != fds.size()) {
            throw new ProxyException(ProxyResult.REMOTE_ERROR, "sent " + fds.size()
                    + " descriptors with a frame that has " + frame.fds());
        }
        return frame;
    }

    /** Gives the descriptors away. */
    List<OwnedFd> takeFds() {
        List<OwnedFd> taken = List.copyOf(fds);
        fds.clear();
        return taken;
    }

    /** For the next frame. */
    void reset() {
        bytes.clear();
        closeFds();
    }

    void closeFds() {
        fds.forEach(OwnedFd::close);
        fds.clear();
    }
}

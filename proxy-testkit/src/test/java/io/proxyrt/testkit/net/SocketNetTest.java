/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.testkit.net;

import io.proxyrt.testkit.Extent;
import io.proxyrt.transport.net.spi.NetPlugin;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/** The socket network over loopback, in all ways in which its options change what happens on the wire. */
class SocketNetTest {
    private static final Map<String, String> LOOPBACK = Map.of("net.socket.ifname", "=lo",
            "net.socket.retry.count", "2", "net.socket.retry.sleep", "1ms", "net.socket.engine", "native");

    /** With these options. */
    abstract static class Shape extends NetPluginConformance {
        private final Map<String, String> options = new HashMap<>(LOOPBACK);
        private final boolean isHugeTested;

        Shape(boolean isHugeTested, Map<String, String> options) {
            this.isHugeTested = isHugeTested;
            this.options.putAll(options);
        }

        @Override
        protected NetPlugin open(int rank) {
            return network("Socket", options, rank);
        }

        @Override
        protected boolean isHugeTested() {
            return isHugeTested;
        }
    }

    @Nested
    class AsItComes extends Shape {
        AsItComes() {
            super(true, Map.of());
        }
    }

    /** So that most reads and writes are partial. */
    @Tag(Extent.ONLY_FULL)
    @Nested
    class WithSmallBuffers extends Shape {
        WithSmallBuffers() {
            super(false, Map.of("net.socket.sndbuf", "16K", "net.socket.rcvbuf", "16K"));
        }
    }

    /** Without the platform beside them, which the others have. */
    @Nested
    class OverTheJdksChannelsAlone extends Shape {
        OverTheJdksChannelsAlone() {
            super(false, Map.of("net.socket.engine", "nio", "net.socket.sndbuf", "16K", "net.socket.rcvbuf", "16K"));
        }
    }

    @Tag(Extent.ONLY_FULL)
    @Nested
    class OverIpv6 extends Shape {
        OverIpv6() {
            super(false, Map.of("net.socket.family", "AF_INET6"));
        }
    }

    /** Two data sockets that the caller drives, which even small messages use. */
    @Tag(Extent.ONLY_FULL)
    @Nested
    class WithTwoSockets extends Shape {
        WithTwoSockets() {
            super(false, Map.of("net.socket.threads", "0", "net.socket.sockets.per.thread", "2",
                    "net.socket.inline", "128", "net.socket.chunk", "1000"));
        }
    }

    /** More sockets than most messages have chunks, and small system buffers. */
    @Tag(Extent.ONLY_FULL)
    @Nested
    class WithManySockets extends Shape {
        WithManySockets() {
            super(false, Map.of("net.socket.threads", "0", "net.socket.sockets.per.thread", "7",
                    "net.socket.inline", "0", "net.socket.sndbuf", "16K", "net.socket.rcvbuf", "16K"));
        }
    }

    @Tag(Extent.ONLY_FULL)
    @Nested
    class WithHelperThreads extends Shape {
        WithHelperThreads() {
            super(false, Map.of("net.socket.threads", "2", "net.socket.sockets.per.thread", "2",
                    "net.socket.inline", "128", "net.socket.chunk", "1000"));
        }
    }

    /** Sends complete when they are acknowledged, and a keeper looks after idle connections. */
    @Tag(Extent.ONLY_FULL)
    @Nested
    class WithResume extends Shape {
        WithResume() {
            super(false, Map.of("net.socket.resume", "300ms"));
        }
    }

    @Nested
    class WithResumeChecksumsAndHelperThreads extends Shape {
        WithResumeChecksumsAndHelperThreads() {
            super(false, Map.of("net.socket.resume", "300ms", "net.socket.checksum", "1", "net.socket.threads", "1",
                    "net.socket.sockets.per.thread", "3", "net.socket.inline", "128", "net.socket.chunk", "1000"));
        }
    }
}

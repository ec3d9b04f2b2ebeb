/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.natives;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import io.proxyrt.core.platform.Platform;
import io.proxyrt.core.platform.StreamSocket;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.management.ManagementFactory;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class StreamSocketTest {
    private static final int CALLS = 20_000;
    private static final int MOST_ROUNDS = 50;

    private final Platform platform = Platform.find();
    private final MemorySegment memory = Arena.ofAuto().allocate(4096);
    private SocketChannel mine;
    private SocketChannel peer;

    @BeforeEach
    void connect() throws IOException {
        connect(StandardProtocolFamily.INET, "127.0.0.1");
    }

    @AfterEach
    void close() throws IOException {
        mine.close();
        peer.close();
    }

    @Test
    void shouldSendWhatThereIsRoomFor() throws IOException {
        try (StreamSocket socket = find(mine)) {
            memory.copyFrom(MemorySegment.ofArray("hello".getBytes(StandardCharsets.UTF_8)));
            assertEquals(3, socket.send(memory, 2, 3));
            assertEquals("llo", read(3));
            int sent;
            do {
                sent = socket.send(memory, 0, 4096);
            } while (sent > 0);
            assertEquals(0, sent, "a full socket");
        }
    }

    @Test
    void shouldSendTwoRunsOfBytesAsOne() throws IOException {
        MemorySegment body = Arena.ofAuto().allocate(1 << 20);
        body.fill((byte) 'b').set(ValueLayout.JAVA_BYTE, 3, (byte) 'B');
        try (StreamSocket socket = find(mine)) {
            memory.copyFrom(MemorySegment.ofArray("head".getBytes(StandardCharsets.UTF_8)));
            assertEquals(5, socket.send(memory, 1, 3, body, 3, 2));
            assertEquals("eadBb", read(5));
            int sent;
            do {
                sent = socket.send(memory, 0, 4, body, 0, 1 << 20);
            } while (sent > 0);
            assertEquals(0, sent, "a full socket");
        }
    }

    @Test
    void shouldLeaveWhatIsPeekedAtUntilItIsDiscarded() throws IOException {
        try (StreamSocket socket = find(mine)) {
            assertEquals(0, socket.peek(memory, 0, 10));
            write("hello");
            assertEquals(4, await(() -> socket.peek(memory, 100, 4)));
            assertEquals(5, socket.peek(memory, 10, 10));
            assertEquals("hello", text(10, 5));
            assertEquals(2, socket.discard(2));
            assertEquals(3, socket.peek(memory, 0, 10));
            assertEquals("llo", text(0, 3));
            assertEquals(3, socket.discard(10));
            assertEquals(0, socket.discard(10));
            assertEquals(0, socket.peek(memory, 0, 10));
        }
    }

    @Test
    void shouldSayThatThePeerEndedTheStream() throws IOException {
        try (StreamSocket socket = find(mine)) {
            write("x");
            peer.close();
            assertEquals(1, await(() -> socket.peek(memory, 0, 10)));
            assertEquals(1, socket.discard(10));
            assertEquals(StreamSocket.END, await(() -> socket.peek(memory, 0, 10)));
            assertEquals(0, socket.discard(1));
        }
    }

    @Test
    void shouldSayThatTheConnectionBroke() throws IOException {
        try (StreamSocket socket = find(mine)) {
            peer.setOption(StandardSocketOptions.SO_LINGER, 0);
            peer.close();
            assertEquals(StreamSocket.END, await(() -> socket.peek(memory, 0, 10)));
            assertEquals(0, socket.send(memory, 0, 1));
            assertThrows(IOException.class, () -> mine.write(ByteBuffer.allocate(1)));
        }
    }

    @Test
    void shouldTellTheTwoEndsOfAConnectionApart() throws IOException {
        try (StreamSocket a = find(mine); StreamSocket b = find(peer)) {
            write("x");
            assertEquals(1, await(() -> a.peek(memory, 0, 10)));
            assertEquals(0, b.peek(memory, 0, 10));
        }
    }

    @Test
    void shouldFindAnIpv4ConnectionOfAnIpv6Socket() throws IOException {
        close();
        connect(StandardProtocolFamily.INET6, "127.0.0.1");
        assertTrue(mine.getLocalAddress() instanceof InetSocketAddress inet
                && inet.getAddress() instanceof Inet4Address);
        try (StreamSocket socket = find(mine)) {
            write("x");
            assertEquals(1, await(() -> socket.peek(memory, 0, 10)));
        }
    }

    @Test
    void shouldFindAnIpv6Connection() throws IOException {
        close();
        connect(StandardProtocolFamily.INET6, "::1");
        try (StreamSocket socket = find(mine)) {
            write("x");
            assertEquals(1, await(() -> socket.peek(memory, 0, 10)));
        }
    }

    @Test
    void shouldFindNothingThatIsNotAConnection() throws IOException {
        InetSocketAddress local = (InetSocketAddress) mine.getLocalAddress();
        assertEquals(Optional.empty(), platform.streamSocket(local, local));
        try (DatagramChannel a = DatagramChannel.open(StandardProtocolFamily.INET);
                DatagramChannel b = DatagramChannel.open(StandardProtocolFamily.INET)) {
            InetAddress loopback = InetAddress.getLoopbackAddress();
            b.bind(new InetSocketAddress(loopback, 0));
            a.bind(new InetSocketAddress(loopback, 0)).connect(b.getLocalAddress());
            assertEquals(Optional.empty(), platform.streamSocket((InetSocketAddress) a.getLocalAddress(),
                    (InetSocketAddress) a.getRemoteAddress()));
        }
    }

    @Test
    void shouldEndTheConnectionWithTheChannelAndKeepNoDescriptor() throws IOException {
        long before = descriptors();
        StreamSocket socket = find(mine);
        assertEquals(before + 1, descriptors());
        mine.close();
        assertEquals(0, read(peer), "still connected");
        socket.close();
        socket.close();
        assertEquals(-1, await(() -> {
            int bytes = read(peer);
            return bytes < 0 ? bytes : 0;
        }));
        assertEquals(before - 1, descriptors());
    }

    @Test
    void shouldRefuseMemoryThatIsGone() throws IOException {
        try (StreamSocket socket = find(mine)) {
            MemorySegment gone;
            try (Arena arena = Arena.ofShared()) {
                gone = arena.allocate(10);
            }
            MemorySegment onHeap = MemorySegment.ofArray(new byte[10]);
            assertThrows(IllegalStateException.class, () -> socket.peek(gone, 0, 10));
            assertThrows(IllegalStateException.class, () -> socket.send(gone, 0, 10));
            assertThrows(IllegalArgumentException.class, () -> socket.send(onHeap, 0, 10));
            assertThrows(IllegalStateException.class, () -> socket.send(gone, 0, 10, memory, 0, 10));
            assertThrows(IllegalStateException.class, () -> socket.send(memory, 0, 10, gone, 0, 10));
            assertThrows(IllegalArgumentException.class, () -> socket.send(memory, 0, 10, onHeap, 0, 10));
            assertThrows(IndexOutOfBoundsException.class, () -> socket.send(memory, 4090, 10, memory, 0, 1));
            assertThrows(IndexOutOfBoundsException.class, () -> socket.send(memory, 0, 1, memory, 4090, 10));
            assertThrows(IndexOutOfBoundsException.class, () -> socket.peek(memory, 4000, 100));
            assertThrows(IndexOutOfBoundsException.class, () -> socket.send(memory, -1, 1));
        }
    }

    /** Once compiled, which takes as long as the compiler is busy. */
    @Test
    void shouldAllocateNothing() throws IOException {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        try (StreamSocket socket = find(mine); StreamSocket other = find(peer)) {
            long allocated = Long.MAX_VALUE;
            for (int round = 0; round < MOST_ROUNDS && allocated >= CALLS; round++) {
                long before = threads.getCurrentThreadAllocatedBytes();
                exchange(socket, other);
                allocated = threads.getCurrentThreadAllocatedBytes() - before;
            }
            assertTrue(allocated < CALLS, allocated + " bytes in " + CALLS + " exchanges");
        }
    }

    private void exchange(StreamSocket socket, StreamSocket other) {
        for (int i = 0; i < CALLS; i++) {
            other.send(memory, 0, 8);
            other.send(memory, 0, 8, memory, 16, 8);
            socket.peek(memory, 0, 16);
            socket.discard(16);
        }
    }

    private void connect(StandardProtocolFamily family, String host) throws IOException {
        try (ServerSocketChannel server = ServerSocketChannel.open(family)) {
            server.bind(new InetSocketAddress(InetAddress.getByName(host), 0));
            mine = SocketChannel.open(family);
            mine.connect(server.getLocalAddress());
            peer = server.accept();
        }
        mine.configureBlocking(false);
        peer.configureBlocking(false);
    }

    @Test
    void shouldChooseHowTcpSharesTheWay() throws Throwable {
        try (StreamSocket socket = find(mine)) {
            assertTrue(socket.congestionControl("reno"));
            assertEquals("reno", congestionControl(mine));
            assertFalse(socket.congestionControl("no-such"));
            assertEquals("reno", congestionControl(mine));
        }
    }

    private static String congestionControl(SocketChannel channel) throws Throwable {
        MethodHandle getsockopt = CLibrary.link("getsockopt", FunctionDescriptor.of(ValueLayout.JAVA_INT,
                ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.ADDRESS,
                ValueLayout.ADDRESS));
        try (Arena arena = Arena.ofConfined(); Stream<Path> open = Files.list(Path.of("/proc/self/fd"))) {
            SocketNames names = new SocketNames(arena);
            InetSocketAddress local = (InetSocketAddress) channel.getLocalAddress();
            InetSocketAddress remote = (InetSocketAddress) channel.getRemoteAddress();
            int number = open.mapToInt(path -> Integer.parseInt(path.getFileName().toString()))
                    .filter(each -> names.isConnection(each, local, remote)).findFirst().orElseThrow();
            MemorySegment name = arena.allocate(16);
            MemorySegment length = arena.allocateFrom(ValueLayout.JAVA_INT, 16);
            assertEquals(0, (int) getsockopt.invokeExact(number, 6, 13, name, length), "TCP_CONGESTION");
            return name.getString(0);
        }
    }

    private StreamSocket find(SocketChannel channel) throws IOException {
        return platform.streamSocket((InetSocketAddress) channel.getLocalAddress(),
                (InetSocketAddress) channel.getRemoteAddress()).orElseThrow();
    }

    private void write(String text) throws IOException {
        peer.write(StandardCharsets.UTF_8.encode(text));
    }

    private String read(int bytes) throws IOException {
        ByteBuffer got = ByteBuffer.allocate(bytes);
        while (got.hasRemaining()) {
            peer.read(got);
        }
        return StandardCharsets.UTF_8.decode(got.flip()).toString();
    }

    private String text(long offset, long bytes) {
        return new String(memory.asSlice(offset, bytes).toArray(ValueLayout.JAVA_BYTE), StandardCharsets.UTF_8);
    }

    private static int read(SocketChannel channel) throws IOException {
        return channel.read(ByteBuffer.allocate(1));
    }

    private static long descriptors() throws IOException {
        try (Stream<Path> open = Files.list(Path.of("/proc/self/fd"))) {
            return open.count();
        }
    }

    /** What comes over loopback is there at once, or almost. */
    private static int await(Call call) throws IOException {
        long deadline = System.nanoTime() + 10_000_000_000L;
        int result = call.run();
        while (result == 0 && System.nanoTime() - deadline < 0) {
            Thread.onSpinWait();
            result = call.run();
        }
        return result;
    }

    private interface Call {
        int run() throws IOException;
    }
}

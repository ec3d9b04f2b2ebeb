/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bootstrap;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.ProxyResult;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class LinkTest {
    private final List<Message> received = new ArrayList<>();
    private SocketChannel far;
    private SocketPoller poller;
    private Link link;

    @BeforeEach
    void connect() throws IOException {
        poller = new SocketPoller();
        try (Poller.Listener listener = poller.listen(Jobs.loopback(), 1)) {
            far = SocketChannel.open(listener.address());
            while (link == null) {
                poller.select(100);
                link = listener.accept(100);
            }
        }
    }

    @AfterEach
    void close() throws IOException {
        link.close();
        far.close();
        poller.close();
    }

    private boolean readOnce() throws IOException {
        poller.select(1000);
        return link.read(message -> {
            received.add(message);
        });
    }

    private void write(ByteBuffer bytes) throws IOException {
        while (bytes.hasRemaining()) {
            far.write(bytes);
        }
    }

    @Test
    void shouldPutTogetherAFrameThatComesByteByByte() throws IOException {
        final ByteBuffer frame = MessageCodec.encode(new Message.Abort("why"));
        while (frame.hasRemaining()) {
            assertEquals(List.of(), received);
            write(ByteBuffer.wrap(new byte[] {frame.get()}));
            assertTrue(readOnce());
        }

        assertEquals(List.of(new Message.Abort("why")), received);
    }

    @Test
    void shouldTakeManyFramesAtOnce() throws IOException {
        final ByteBuffer frames = ByteBuffer.allocate(64);
        frames.put(MessageCodec.encode(new Message.Ready())).put(MessageCodec.encode(new Message.Left(1, 1)))
                .put(MessageCodec.encode(new Message.Goodbye()));
        write(frames.flip());
        while (received.size() < 3) {
            assertTrue(readOnce());
        }

        assertEquals(List.of(new Message.Ready(), new Message.Left(1, 1), new Message.Goodbye()), received);
    }

    @Test
    void shouldReportTheEndOfTheStreamAfterTheLastFrame() throws IOException {
        write(MessageCodec.encode(new Message.Goodbye()));
        far.shutdownOutput();

        boolean isOpen = true;
        while (isOpen) {
            isOpen = readOnce();
        }
        assertEquals(List.of(new Message.Goodbye()), received);
    }

    @Test
    void shouldRefuseAFrameThatIsTooLongBeforeItsBodyComes() throws IOException {
        write(ByteBuffer.allocate(8).putInt(101).put((byte) 4).put((byte) 13).putShort((short) 0).flip());

        Jobs.assertFails(ProxyResult.REMOTE_ERROR, this::readOnce, "101 bytes", "100 are allowed");
    }

    @Test
    void shouldRefuseANegativeLength() throws IOException {
        write(ByteBuffer.allocate(8).putInt(-1).put((byte) 4).put((byte) 13).putShort((short) 0).flip());

        Jobs.assertFails(ProxyResult.REMOTE_ERROR, this::readOnce, "4294967295 bytes");
    }

    @Test
    void shouldRefuseAnotherVersion() throws IOException {
        write(ByteBuffer.allocate(8).putInt(0).put((byte) 2).put((byte) 14).putShort((short) 0).flip());

        Jobs.assertFails(ProxyResult.REMOTE_ERROR, this::readOnce, "version 2 of the protocol, where 4 is spoken");
    }

    @Test
    void shouldRememberTheFirstBytes() throws IOException {
        write(ByteBuffer.wrap("GET / HTTP/1.1\r\n".getBytes()));

        Jobs.assertFails(ProxyResult.REMOTE_ERROR, this::readOnce);
        assertEquals("\"GET / HTTP/1.1\\x0d\\x0a\"", Wording.printable(link.preview()));
    }

    @Test
    void shouldKeepWhatTheConnectionDoesNotTake() throws Exception {
        final byte[] blob = new byte[32 << 20];
        blob[blob.length - 1] = 42;
        link.offer(MessageCodec.encode(new Message.Blob(0, 0, blob)));
        assertFalse(link.flush());
        assertTrue(link.queuedBytes() > 0);

        assertArrayEquals(new byte[] {0, 0, 42}, Arrays.copyOfRange(sent(blob.length + 16), blob.length + 13,
                blob.length + 16));
    }

    @Test
    void shouldSendFramesOfAllSizesInTheirOrder() throws Exception {
        final ByteBuffer expected = ByteBuffer.allocate(4 << 20);
        final Random random = new Random(7);
        for (int i = 0; i < 600; i++) {
            final byte[] blob = new byte[i % 97 == 0 ? random.nextInt(200_000) : random.nextInt(300)];
            random.nextBytes(blob);
            final ByteBuffer frame = MessageCodec.encode(new Message.Blob(i, 0, blob));
            expected.put(frame.duplicate());
            link.offer(frame);
        }
        assertEquals(expected.position(), link.queuedBytes());

        assertArrayEquals(Arrays.copyOf(expected.array(), expected.position()), sent(expected.position()));
    }

    /** What comes out of the other end when all is flushed. */
    private byte[] sent(int bytes) throws Exception {
        final var reader = Jobs.start(() -> {
            final ByteBuffer all = ByteBuffer.allocate(bytes);
            while (all.hasRemaining()) {
                assertTrue(far.read(all) >= 0);
            }
            return all.array();
        });
        while (!link.flush()) {
            poller.select(1000);
        }
        assertEquals(0, link.queuedBytes());
        return Jobs.get(reader);
    }

    @Test
    void shouldStopHandingOverWhenClosedByTheReader() throws IOException {
        final ByteBuffer frames = ByteBuffer.allocate(64);
        frames.put(MessageCodec.encode(new Message.Goodbye())).put(MessageCodec.encode(new Message.Left(1, 1)));
        write(frames.flip());
        poller.select(1000);

        link.read(message -> {
            received.add(message);
            link.close();
        });

        assertEquals(List.of(new Message.Goodbye()), received);
        assertFalse(link.isOpen());
    }
}

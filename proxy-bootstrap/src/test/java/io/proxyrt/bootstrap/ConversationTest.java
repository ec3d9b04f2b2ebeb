/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bootstrap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.proxyrt.core.ProxyException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.List;
import org.junit.jupiter.api.Test;

class ConversationTest {
    private final Conversation conversation = new Conversation(true);

    private static ByteBuffer frame(int tag) {
        return MessageCodec.encode(new Message.Blob(0, tag, new byte[10]));
    }

    private static Link link() throws IOException {
        try (Selector selector = Selector.open()) {
            return new SocketLink(SocketChannel.open(), selector, BootstrapDescriptor.MAX_ANSWER_BYTES);
        }
    }

    @Test
    void shouldRepeatWhatTheOtherSideHasNotGot() throws IOException {
        final int bytes = frame(0).remaining();
        final Link first = link();
        for (int tag = 0; tag < 5; tag++) {
            conversation.offer(first, frame(tag));
        }
        first.close();
        try (Link second = link()) {
            conversation.offer(first, frame(5));
            conversation.heard(new Message.Heartbeat(2));
            assertEquals(4L * bytes, conversation.keptBytes());

            conversation.resume(second, 3);
            assertEquals(3L * bytes, second.queuedBytes());
            assertEquals(3L * bytes, conversation.keptBytes());
        }
    }

    @Test
    void shouldCountWhatBelongsToTheConversation() {
        for (final Message message : List.of(new Message.Ready(), new Message.Heartbeat(0), new Message.Left(1, 1),
                new Message.Resumed(0), new Message.Host(0, 1), new Message.Busy(""))) {
            conversation.heard(message);
        }

        assertEquals(3, conversation.received());
    }

    @Test
    void shouldNotBelieveAnyAcknowledgement() throws IOException {
        try (Link link = link()) {
            conversation.offer(link, frame(0));
            conversation.heard(new Message.Heartbeat(1));

            assertThrows(ProxyException.class, () -> conversation.heard(new Message.Heartbeat(2)));
            assertThrows(ProxyException.class, () -> conversation.heard(new Message.Heartbeat(0)));
        }
    }

    @Test
    void shouldKeepNothingWhereNothingIsResumed() throws IOException {
        final Conversation plain = new Conversation(false);
        try (Link link = link()) {
            plain.offer(link, frame(0));
            plain.heard(new Message.Heartbeat(1));
            assertEquals(0, plain.keptBytes());
            assertFalse(plain.isReportDue(link));
        }
    }
}

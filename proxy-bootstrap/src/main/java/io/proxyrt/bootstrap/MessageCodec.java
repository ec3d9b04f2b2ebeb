/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bootstrap;

import static io.proxyrt.bootstrap.BootstrapDescriptor.HEADER_BYTES;
import static io.proxyrt.bootstrap.BootstrapDescriptor.MAX_HEAD_BYTES;
import static io.proxyrt.bootstrap.BootstrapDescriptor.MAX_TEXT_BYTES;
import static io.proxyrt.bootstrap.BootstrapDescriptor.VERSION;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Messages to frames and back. Whatever the bytes, decoding returns a message or throws {@code REMOTE_ERROR}. */
final class MessageCodec {
    static final byte[] NOTHING = new byte[0];

    private MessageCodec() {
    }

    /** A whole frame, ready to be written. */
    static ByteBuffer encode(Message message) {
        final ByteBuffer head = ByteBuffer.allocate(MAX_HEAD_BYTES);
        message.putHead(head);
        head.flip();
        final byte[] tail = message.tail();
        final int length = head.remaining() + tail.length;
        return ByteBuffer.allocate(HEADER_BYTES + length).putInt(length).put(VERSION).put((byte) message.type())
                .putShort((short) 0).put(head).put(tail).flip();
    }

    /** The message of a whole frame, whose bytes stay as they are from now on: it may keep them. */
    static Message decode(ByteBuffer frame) {
        final MessageReader in = new MessageReader(frame.slice(HEADER_BYTES, frame.remaining() - HEADER_BYTES));
        final Message message = read(type(frame), in);
        in.requireEnd();
        return message;
    }

    private static Message read(int type, MessageReader in) {
        return switch (type) {
            case Message.Hello.TYPE -> Message.Hello.read(in);
            case Message.Accepted.TYPE -> Message.Accepted.read(in);
            case Message.Refused.TYPE -> Message.Refused.read(in);
            case Message.Ready.TYPE -> new Message.Ready();
            case Message.Heartbeat.TYPE -> Message.Heartbeat.read(in);
            case Message.Part.TYPE -> Message.Part.read(in);
            case Message.Gathered.TYPE -> Message.Gathered.read(in);
            case Message.RoundDone.TYPE -> Message.RoundDone.read(in);
            case Message.RoundFailed.TYPE -> Message.RoundFailed.read(in);
            case Message.Blob.TYPE -> Message.Blob.read(in);
            case Message.Failed.TYPE -> Message.Failed.read(in);
            case Message.Left.TYPE -> Message.Left.read(in);
            case Message.Abort.TYPE -> Message.Abort.read(in);
            case Message.Goodbye.TYPE -> new Message.Goodbye();
            case Message.Challenge.TYPE -> Message.Challenge.read(in);
            case Message.Proof.TYPE -> Message.Proof.read(in);
            case Message.Welcome.TYPE -> Message.Welcome.read(in);
            case Message.Busy.TYPE -> Message.Busy.read(in);
            case Message.Resumed.TYPE -> Message.Resumed.read(in);
            case Message.Host.TYPE -> Message.Host.read(in);
            case TreeMessage.Fan.TYPE -> TreeMessage.Fan.read(in);
            case TreeMessage.Door.TYPE -> TreeMessage.Door.read(in);
            case TreeMessage.Above.TYPE -> TreeMessage.Above.read(in);
            case TreeMessage.Got.TYPE -> TreeMessage.Got.read(in);
            default -> throw MessageReader.malformed("a frame of unknown type " + type);
        };
    }

    static int type(ByteBuffer frame) {
        return frame.get(frame.position() + BootstrapDescriptor.TYPE_OFFSET);
    }

    /** Whether frames of this type belong to the conversation, of which none may get lost with a connection. */
    static boolean isNumbered(int type) {
        return type >= Message.Ready.TYPE && type <= Message.Goodbye.TYPE && type != Message.Heartbeat.TYPE
                || type >= Message.Host.TYPE;
    }

    static byte[] utf8(String text) {
        final byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        return bytes.length <= MAX_TEXT_BYTES ? bytes : Arrays.copyOf(bytes, MAX_TEXT_BYTES);
    }
}

/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.contender;

import java.nio.ByteBuffer;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.AtomicBuffer;
import org.agrona.concurrent.MessageHandler;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.ringbuffer.ManyToOneRingBuffer;
import org.agrona.concurrent.ringbuffer.RingBufferDescriptor;

/**
 * Agrona's {@link ManyToOneRingBuffer}. It has no batch to post: each op is claimed and committed by itself. Its size
 * in bytes must be a power of two, so it holds 3,855 ops.
 */
final class AgronaContender implements OpsContender {
    private static final int BYTES = OpTemplate.WORDS * Long.BYTES;
    private static final int RING_BYTES = 512 * 1024;
    private static final int MESSAGE_TYPE = 1;

    private final ManyToOneRingBuffer ring;
    private final Sleeper sleeper;
    private final MessageHandler handler = this::take;
    private OpSink sink;

    AgronaContender(int producers, boolean parks) {
        this.ring = new ManyToOneRingBuffer(new UnsafeBuffer(ByteBuffer.allocateDirect(
                RING_BYTES * producers + RingBufferDescriptor.TRAILER_LENGTH)));
        this.sleeper = new Sleeper(parks);
    }

    @Override
    public Poster poster(int producer) {
        return this::post;
    }

    @Override
    public int poll(OpSink sink) {
        this.sink = sink;
        return ring.read(handler, LIMIT);
    }

    @Override
    public void await() {
        sleeper.await(() -> ring.size() == 0);
    }

    @Override
    public void wakeup() {
        sleeper.stop();
    }

    private int post(OpTemplate template, int count) {
        int posted = 0;
        while (posted < count && write(template)) {
            posted++;
        }
        if (posted > 0) {
            sleeper.posted();
        }
        return posted;
    }

    private boolean write(OpTemplate template) {
        int index = ring.tryClaim(MESSAGE_TYPE, BYTES);
        if (index < 0) {
            return false;
        }
        AtomicBuffer buffer = ring.buffer();
        put(buffer, index, template.words());
        ring.commit(index);
        template.advance();
        return true;
    }

    private static void put(MutableDirectBuffer buffer, int index, long[] words) {
        for (int i = 0; i < OpTemplate.WORDS; i++) {
            buffer.putLong(index + i * Long.BYTES, words[i]);
        }
    }

    private void take(int type, DirectBuffer buffer, int index, int length) {
        long[] place = sink.place();
        for (int i = 0; i < OpTemplate.WORDS; i++) {
            place[i] = buffer.getLong(index + i * Long.BYTES);
        }
        sink.take(place);
    }
}

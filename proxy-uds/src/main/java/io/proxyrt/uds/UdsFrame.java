/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.uds;

import static io.proxyrt.uds.UdsFrameDescriptor.CALL_ID_OFFSET;
import static io.proxyrt.uds.UdsFrameDescriptor.DATA_BYTES_OFFSET;
import static io.proxyrt.uds.UdsFrameDescriptor.DATA_OFFSET;
import static io.proxyrt.uds.UdsFrameDescriptor.FDS_OFFSET;
import static io.proxyrt.uds.UdsFrameDescriptor.FRAME_BYTES;
import static io.proxyrt.uds.UdsFrameDescriptor.MAGIC;
import static io.proxyrt.uds.UdsFrameDescriptor.MAGIC_OFFSET;
import static io.proxyrt.uds.UdsFrameDescriptor.MAX_DATA_BYTES;
import static io.proxyrt.uds.UdsFrameDescriptor.MAX_TEXT_BYTES;
import static io.proxyrt.uds.UdsFrameDescriptor.RANK_OFFSET;
import static io.proxyrt.uds.UdsFrameDescriptor.STATUS_OFFSET;
import static io.proxyrt.uds.UdsFrameDescriptor.TEXT_BYTES_OFFSET;
import static io.proxyrt.uds.UdsFrameDescriptor.TYPE_OFFSET;
import static io.proxyrt.uds.UdsFrameDescriptor.VERSION;
import static io.proxyrt.uds.UdsFrameDescriptor.VERSION_OFFSET;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.progress.MemorySharing;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * What one frame says, as {@link UdsFrameDescriptor} lays it out.
 *
 * @param type   of the frame
 * @param rank   of its sender
 * @param status a {@link ProxyResult}'s code
 * @param fds    how many descriptors go with it
 * @param callId that an answer repeats
 * @param data   at most 128 bytes; from position to limit, which do not move
 * @param text   of an error; {@link #read} leaves it empty, and says how long it is
 */
record UdsFrame(short type, int rank, int status, int fds, long callId, ByteBuffer data, String text) {
    private static final ByteBuffer NO_DATA = ByteBuffer.allocate(0);

    static UdsFrame of(short type, int rank, long callId, int fds, ByteBuffer data) {
        return new UdsFrame(type, rank, ProxyResult.SUCCESS.code(), fds, callId, data, "");
    }

    static UdsFrame failure(short type, int rank, long callId, ProxyResult result, String text) {
        return new UdsFrame(type, rank, result.code(), 0, callId, NO_DATA, text);
    }

    /** A frame without numbers or bytes in it. */
    static ByteBuffer noData() {
        return NO_DATA;
    }

    static ByteBuffer longs(long... numbers) {
        ByteBuffer data = ByteBuffer.allocate(numbers.length * Long.BYTES);
        data.asLongBuffer().put(numbers);
        return data;
    }

    long[] longs() {
        long[] numbers = new long[data.remaining() / Long.BYTES];
        data.duplicate().asLongBuffer().get(numbers);
        return numbers;
    }

    /** Ready to be sent. */
    ByteBuffer bytes() {
        byte[] detail = text.getBytes(StandardCharsets.UTF_8);
        int detailBytes = Math.min(detail.length, MAX_TEXT_BYTES);
        ByteBuffer bytes = ByteBuffer.allocate(FRAME_BYTES + detailBytes);
        bytes.putInt(MAGIC_OFFSET, MAGIC).putShort(VERSION_OFFSET, VERSION).putShort(TYPE_OFFSET, type)
                .putInt(RANK_OFFSET, rank).putInt(STATUS_OFFSET, status).putInt(DATA_BYTES_OFFSET, data.remaining())
                .putShort(FDS_OFFSET, (short) fds).putShort(TEXT_BYTES_OFFSET, (short) detailBytes)
                .putLong(CALL_ID_OFFSET, callId).put(DATA_OFFSET, data, data.position(), data.remaining())
                .put(FRAME_BYTES, detail, 0, detailBytes);
        return bytes;
    }

    /**
     * Reads the fixed part.
     *
     * @param bytes that many, not to be trusted; copied
     * @throws ProxyException {@link ProxyResult#REMOTE_ERROR} if it is no frame of this version
     */
    static UdsFrame read(ByteBuffer bytes) {
        int dataBytes = bytes.getInt(DATA_BYTES_OFFSET);
        int fds = Short.toUnsignedInt(bytes.getShort(FDS_OFFSET));
        check(bytes.getInt(MAGIC_OFFSET) == MAGIC, "does not speak this protocol");
        check(bytes.getShort(VERSION_OFFSET) == VERSION, "speaks version " + bytes.getShort(VERSION_OFFSET)
                + " of the protocol, and this is version " + VERSION + "; use one release of proxyrt everywhere");
        check(dataBytes >= 0 && dataBytes <= MAX_DATA_BYTES && dataBytes % Long.BYTES == 0,
                "sent a frame with " + dataBytes + " bytes of data");
        check(fds <= MemorySharing.MAX_FDS, "sent a frame with " + fds + " descriptors");
        for (int i = dataBytes; i < MAX_DATA_BYTES; i++) {
            check(bytes.get(DATA_OFFSET + i) == 0, "sent a frame with something behind its data");
        }
        ByteBuffer data = ByteBuffer.allocate(dataBytes).put(0, bytes, DATA_OFFSET, dataBytes);
        return new UdsFrame(bytes.getShort(TYPE_OFFSET), bytes.getInt(RANK_OFFSET), bytes.getInt(STATUS_OFFSET), fds,
                bytes.getLong(CALL_ID_OFFSET), data, "");
    }

    /**
     * How much text follows a fixed part.
     *
     * @throws ProxyException {@link ProxyResult#REMOTE_ERROR} if it is too much
     */
    static int textBytes(ByteBuffer bytes) {
        int textBytes = Short.toUnsignedInt(bytes.getShort(TEXT_BYTES_OFFSET));
        check(textBytes <= MAX_TEXT_BYTES, "sent a frame with " + textBytes + " bytes of text");
        return textBytes;
    }

    private static void check(boolean isRight, String what) {
        if (!isRight) {
            throw new ProxyException(ProxyResult.REMOTE_ERROR, what);
        }
    }
}

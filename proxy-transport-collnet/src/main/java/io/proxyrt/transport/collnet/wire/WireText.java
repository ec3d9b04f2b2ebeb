/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.collnet.wire;

import io.proxyrt.core.auth.PeerText;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Texts within frames: UTF-8 behind a length of two bytes. */
final class WireText {
    private WireText() {
    }

    /** At most so many bytes; what is longer is cut between characters. */
    static byte[] encode(String text, int maxBytes) {
        final ByteBuffer out = ByteBuffer.allocate(maxBytes);
        StandardCharsets.UTF_8.newEncoder().onMalformedInput(CodingErrorAction.REPLACE)
                .encode(CharBuffer.wrap(text), out, true);
        return Arrays.copyOf(out.array(), out.position());
    }

    /** The length at a place of a frame's head, checked. */
    static int length(ByteBuffer received, int at, int maxBytes) {
        final int length = Short.toUnsignedInt(received.getShort(at));
        if (length > maxBytes) {
            throw WireDescriptor.malformed("a text of " + length + " bytes");
        }
        return length;
    }

    /** Reads a text that is there, on one line. */
    static String decode(ByteBuffer received, int at, int bytes) {
        try {
            return PeerText.line(StandardCharsets.UTF_8.newDecoder().decode(received.duplicate().limit(at + bytes)
                    .position(at)).toString());
        } catch (CharacterCodingException e) {
            throw WireDescriptor.malformed("a text that is not UTF-8");
        }
    }
}

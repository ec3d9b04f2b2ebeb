/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.natives.plugin;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;

/** Strings of C, of which it is not known whether they end. */
final class CText {
    private CText() {
    }

    /** The text at an address; null at 0. Of a longer one, the first bytes. */
    @SuppressWarnings("restricted")
    static String at(long address, int maxBytes) {
        if (address == 0) {
            return null;
        }
        MemorySegment memory = MemorySegment.ofAddress(address).reinterpret(maxBytes);
        int length = 0;
        while (length < maxBytes && memory.get(ValueLayout.JAVA_BYTE, length) != 0) {
            length++;
        }
        return new String(memory.asSlice(0, length).toArray(ValueLayout.JAVA_BYTE), StandardCharsets.UTF_8);
    }
}

/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.natives.gpu;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.Test;

class GpuImageTest {
    /** Any ELF will do; a driver would read past the end of half a one. */
    @Test
    void shouldTakeAWholeElfAndNoPartOfIt() throws IOException {
        byte[] elf = Files.readAllBytes(Path.of(System.getProperty("java.home"), "lib", "libjimage.so"));
        assertTrue(isWhole(elf));
        for (int length = 0; length < elf.length; length += 1 + length / 50) {
            assertFalse(isWhole(elf, length), length + " of " + elf.length + " bytes");
        }
    }

    @Test
    void shouldNotBelieveAnElfsOffsets() throws IOException {
        byte[] elf = Files.readAllBytes(Path.of(System.getProperty("java.home"), "lib", "libjimage.so"));
        ByteBuffer bytes = ByteBuffer.wrap(elf).order(ByteOrder.LITTLE_ENDIAN);
        long sections = bytes.getLong(40);
        for (long wrong : new long[] {-1, Long.MIN_VALUE, Long.MAX_VALUE, elf.length - 1}) {
            bytes.putLong(40, wrong);
            assertFalse(isWhole(elf), "sections at " + wrong);
            bytes.putLong(40, sections);
            int size = (int) sections + 64 + 32;
            long before = bytes.getLong(size);
            bytes.putLong(size, wrong);
            assertFalse(isWhole(elf), "a section of " + wrong);
            bytes.putLong(size, before);
        }
        assertTrue(isWhole(elf));
    }

    @Test
    void shouldKnowFatBinariesBundlesAndPtx() {
        byte[] fat = ByteBuffer.allocate(116).order(ByteOrder.LITTLE_ENDIAN).putInt(0xba55ed50).putShort((short) 1)
                .putShort((short) 16).putLong(100).array();
        assertTrue(isWhole(fat));
        assertFalse(isWhole(fat, 115));
        byte[] bundle = ByteBuffer.allocate(24 + 8 + 24 + 4 + 10).order(ByteOrder.LITTLE_ENDIAN)
                .put("__CLANG_OFFLOAD_BUNDLE__".getBytes(StandardCharsets.US_ASCII)).putLong(1).putLong(60).putLong(10)
                .putLong(4).array();
        assertTrue(isWhole(bundle));
        for (int length = 0; length < bundle.length; length++) {
            assertFalse(isWhole(bundle, length), length + " bytes");
        }
        assertTrue(isWhole("// text\n.version 8.0".getBytes(StandardCharsets.US_ASCII)));
        assertTrue(isWhole("\n .version 8.0".getBytes(StandardCharsets.US_ASCII)));
    }

    @Test
    void shouldRefuseWhatIsNone() {
        Random random = new Random(1);
        for (int i = 0; i < 1000; i++) {
            byte[] junk = new byte[random.nextInt(200)];
            random.nextBytes(junk);
            if (junk.length > 0) {
                junk[0] = 'j';
            }
            assertFalse(isWhole(junk));
        }
    }

    private static boolean isWhole(byte[] bytes) {
        return isWhole(bytes, bytes.length);
    }

    private static boolean isWhole(byte[] bytes, int length) {
        return GpuImage.isWhole(MemorySegment.ofArray(bytes).asSlice(0, length));
    }
}

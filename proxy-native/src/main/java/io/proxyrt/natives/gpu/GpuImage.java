/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.natives.gpu;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_SHORT_UNALIGNED;

import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;

/**
 * What a driver loads kernels from. It is told no size, and reads as far as the image's own headers say; so those are
 * checked before.
 */
final class GpuImage {
    private static final int ELF_MAGIC = 0x46_4c_45_7f;
    private static final long ELF_HEADER_BYTES = 64;
    private static final long ELF_SEGMENTS = 32;
    private static final long ELF_SECTIONS = 40;
    private static final long ELF_SEGMENT_BYTES = 54;
    private static final long ELF_SEGMENT_COUNT = 56;
    private static final long ELF_SECTION_BYTES = 58;
    private static final long ELF_SECTION_COUNT = 60;
    private static final long SECTION_TYPE = 4;
    private static final long SECTION_OFFSET = 24;
    private static final long SECTION_SIZE = 32;
    private static final long MIN_SECTION_BYTES = 64;
    /** A section without content. */
    private static final int NOBITS = 8;
    private static final int FAT_MAGIC = 0xba55ed50;
    private static final long FAT_HEADER_BYTES = 16;
    private static final byte[] BUNDLE_MAGIC = "__CLANG_OFFLOAD_BUNDLE__".getBytes(StandardCharsets.US_ASCII);
    private static final long BUNDLE_ENTRY_BYTES = 24;

    private GpuImage() {
    }

    /** Whether a driver can look at it without reading past its end, if a zero byte follows that. */
    static boolean isWhole(MemorySegment image) {
        if (image.byteSize() < Integer.BYTES) {
            return false;
        }
        int magic = image.get(JAVA_INT_UNALIGNED, 0);
        if (magic == ELF_MAGIC) {
            return isWholeElf(image);
        }
        if (magic == FAT_MAGIC) {
            return isWholeFat(image);
        }
        return isBundle(image) ? isWholeBundle(image) : isPtx(image);
    }

    private static boolean isWholeElf(MemorySegment image) {
        if (image.byteSize() < ELF_HEADER_BYTES) {
            return false;
        }
        long segmentBytes = (long) half(image, ELF_SEGMENT_COUNT) * half(image, ELF_SEGMENT_BYTES);
        long sections = image.get(JAVA_LONG_UNALIGNED, ELF_SECTIONS);
        int sectionBytes = half(image, ELF_SECTION_BYTES);
        int count = half(image, ELF_SECTION_COUNT);
        return count > 0 && sectionBytes >= MIN_SECTION_BYTES
                && isWithin(image, image.get(JAVA_LONG_UNALIGNED, ELF_SEGMENTS), segmentBytes)
                && isWithin(image, sections, (long) count * sectionBytes)
                && hasSections(image, sections, sectionBytes, count);
    }

    private static int half(MemorySegment image, long offset) {
        return Short.toUnsignedInt(image.get(JAVA_SHORT_UNALIGNED, offset));
    }

    private static boolean hasSections(MemorySegment image, long sections, int sectionBytes, int count) {
        for (int i = 0; i < count; i++) {
            long at = sections + (long) i * sectionBytes;
            if (image.get(JAVA_INT_UNALIGNED, at + SECTION_TYPE) != NOBITS
                    && !isWithin(image, image.get(JAVA_LONG_UNALIGNED, at + SECTION_OFFSET),
                    image.get(JAVA_LONG_UNALIGNED, at + SECTION_SIZE))) {
                return false;
            }
        }
        return true;
    }

    private static boolean isWholeFat(MemorySegment image) {
        if (image.byteSize() < FAT_HEADER_BYTES) {
            return false;
        }
        int headerBytes = half(image, 6);
        return headerBytes >= FAT_HEADER_BYTES
                && isWithin(image, headerBytes, image.get(JAVA_LONG_UNALIGNED, Long.BYTES));
    }

    private static boolean isBundle(MemorySegment image) {
        return image.byteSize() >= BUNDLE_MAGIC.length + Long.BYTES
                && image.asSlice(0, BUNDLE_MAGIC.length).mismatch(MemorySegment.ofArray(BUNDLE_MAGIC)) < 0;
    }

    /** Its table: for each entry an offset, a size, and the length of a name that follows. */
    private static boolean isWholeBundle(MemorySegment image) {
        long count = image.get(JAVA_LONG_UNALIGNED, BUNDLE_MAGIC.length);
        long at = BUNDLE_MAGIC.length + (long) Long.BYTES;
        for (long i = 0; i < count; i++) {
            if (!isWithin(image, at, BUNDLE_ENTRY_BYTES)
                    || !isWithin(image, image.get(JAVA_LONG_UNALIGNED, at),
                    image.get(JAVA_LONG_UNALIGNED, at + Long.BYTES))
                    || !isWithin(image, at + BUNDLE_ENTRY_BYTES,
                    image.get(JAVA_LONG_UNALIGNED, at + 2 * Long.BYTES))) {
                return false;
            }
            at += BUNDLE_ENTRY_BYTES + image.get(JAVA_LONG_UNALIGNED, at + 2 * Long.BYTES);
        }
        return count > 0;
    }

    /** Text that begins with a comment or a directive. */
    private static boolean isPtx(MemorySegment image) {
        long at = 0;
        while (at < image.byteSize() && Character.isWhitespace(image.get(JAVA_BYTE, at))) {
            at++;
        }
        return at < image.byteSize() && (image.get(JAVA_BYTE, at) == '/' || image.get(JAVA_BYTE, at) == '.');
    }

    private static boolean isWithin(MemorySegment image, long offset, long bytes) {
        return offset >= 0 && bytes >= 0 && offset <= image.byteSize() - bytes;
    }
}

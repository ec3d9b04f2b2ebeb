/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.collnet.aggregation;

import io.proxyrt.core.DataType;
import io.proxyrt.core.RedOp;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Random;

/** Payloads whose reductions are exact in any order, and what they are reduced to, one element after the other. */
final class Elements {
    private Elements() {
    }

    /** Floating-point numbers 1 and 2, of 8 bits 0 and 1, integers of any value. */
    static byte[] random(DataType type, int count, long seed) {
        final Random random = new Random(seed);
        final ByteBuffer out = buffer(new byte[count * type.sizeBytes()]);
        for (int i = 0; i < count; i++) {
            final float small = 1 + random.nextInt(2);
            switch (type) {
                case INT8, UINT8 -> out.put((byte) random.nextInt());
                case INT32, UINT32 -> out.putInt(random.nextInt());
                case INT64, UINT64 -> out.putLong(random.nextLong());
                case FLOAT16 -> out.putShort(Float.floatToFloat16(small));
                case FLOAT32 -> out.putFloat(small);
                case FLOAT64 -> out.putDouble(small);
                case BFLOAT16 -> out.putShort((short) (Float.floatToRawIntBits(small) >>> 16));
                case FLOAT8_E4M3, FLOAT8_E5M2 -> out.put((byte) type.toBits(small - 1));
            }
        }
        return out.array();
    }

    /** All combined, in their order. */
    static byte[] reduce(DataType type, RedOp op, byte[]... operands) {
        final byte[] result = operands[0].clone();
        final ByteBuffer out = buffer(result);
        for (int i = 1; i < operands.length; i++) {
            final ByteBuffer in = buffer(operands[i]);
            for (int at = 0; at < result.length; at += type.sizeBytes()) {
                combine(type, op, out, in, at);
            }
        }
        return result;
    }

    static ByteBuffer buffer(byte[] bytes) {
        return ByteBuffer.wrap(bytes).order(ByteOrder.nativeOrder());
    }

    private static void combine(DataType type, RedOp op, ByteBuffer out, ByteBuffer in, int at) {
        switch (type) {
            case INT8 -> out.put(at, (byte) signed(op, out.get(at), in.get(at)));
            case UINT8 -> out.put(at, (byte) signed(op, out.get(at) & 0xFF, in.get(at) & 0xFF));
            case INT32 -> out.putInt(at, (int) signed(op, out.getInt(at), in.getInt(at)));
            case UINT32 -> out.putInt(at, (int) signed(op, out.getInt(at) & 0xFFFFFFFFL, in.getInt(at) & 0xFFFFFFFFL));
            case INT64 -> out.putLong(at, signed(op, out.getLong(at), in.getLong(at)));
            case UINT64 -> out.putLong(at, unsigned(op, out.getLong(at), in.getLong(at)));
            case FLOAT16 -> out.putShort(at, Float.floatToFloat16((float) real(op,
                    Float.float16ToFloat(out.getShort(at)), Float.float16ToFloat(in.getShort(at)))));
            case FLOAT32 -> out.putFloat(at, (float) real(op, out.getFloat(at), in.getFloat(at)));
            case FLOAT64 -> out.putDouble(at, real(op, out.getDouble(at), in.getDouble(at)));
            case BFLOAT16 -> out.putShort(at, (short) (Float.floatToRawIntBits((float) real(op,
                    bfloat(out.getShort(at)), bfloat(in.getShort(at)))) >>> 16));
            case FLOAT8_E4M3, FLOAT8_E5M2 -> out.put(at, (byte) type.toBits(real(op, type.fromBits(out.get(at)),
                    type.fromBits(in.get(at)))));
        }
    }

    private static float bfloat(short bits) {
        return Float.intBitsToFloat(bits << 16);
    }

    private static long signed(RedOp op, long a, long b) {
        return switch (op) {
            case SUM -> a + b;
            case PROD -> a * b;
            case MAX -> Math.max(a, b);
            case MIN -> Math.min(a, b);
            case AVG -> throw new AssertionError(op);
        };
    }

    private static long unsigned(RedOp op, long a, long b) {
        return switch (op) {
            case MAX -> Long.compareUnsigned(a, b) > 0 ? a : b;
            case MIN -> Long.compareUnsigned(a, b) < 0 ? a : b;
            default -> signed(op, a, b);
        };
    }

    private static double real(RedOp op, double a, double b) {
        return switch (op) {
            case SUM -> a + b;
            case PROD -> a * b;
            case MAX -> Math.max(a, b);
            case MIN -> Math.min(a, b);
            case AVG -> throw new AssertionError(op);
        };
    }
}

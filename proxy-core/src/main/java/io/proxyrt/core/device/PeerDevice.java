/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.device;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * What a rank tells others of its device, so that they know whether theirs reaches its memory. Immutable.
 *
 * @param kind as {@link DeviceAttributes#kind()}
 * @param name of the device in its own process, which may see other devices than this one does
 * @param pciId as {@link DeviceAttributes#pciId()}, by which a process finds the same device; empty if it has none
 * @param capabilities by {@link DeviceCapability#ordinal()}, a bit each
 */
public record PeerDevice(String kind, String name, String pciId, long capabilities) {
    /**
     * Of a device of this process.
     *
     * @param device any
     * @return what it says of itself
     */
    public static PeerDevice of(Device device) {
        DeviceAttributes attributes = device.attributes();
        long bits = 0;
        for (DeviceCapability capability : device.capabilities()) {
            bits |= 1L << capability.ordinal();
        }
        return new PeerDevice(attributes.kind(), device.name(), attributes.pciId(), bits);
    }

    /**
     * Whether it can do a thing.
     *
     * @param capability which
     * @return as that device says
     */
    public boolean has(DeviceCapability capability) {
        return (capabilities & 1L << capability.ordinal()) != 0;
    }

    /**
     * For {@link io.proxyrt.core.progress.PeerInfo#encode()}.
     *
     * @return capabilities; kind, name and pciId, each with its length before it
     */
    public byte[] encode() {
        byte[][] texts = {bytes(kind), bytes(name), bytes(pciId)};
        ByteBuffer out = ByteBuffer.allocate(8 + 3 * 2 + texts[0].length + texts[1].length + texts[2].length)
                .putLong(capabilities);
        for (byte[] text : texts) {
            out.putShort((short) text.length).put(text);
        }
        return out.array();
    }

    /**
     * Undoes {@link #encode()}.
     *
     * @param in from another rank, not to be trusted
     * @return what it says
     * @throws BufferUnderflowException if it is too short
     */
    public static PeerDevice decode(ByteBuffer in) {
        long capabilities = in.getLong();
        return new PeerDevice(text(in), text(in), text(in), capabilities);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static String text(ByteBuffer in) {
        int length = Short.toUnsignedInt(in.getShort());
        if (length > in.remaining()) {
            throw new BufferUnderflowException();
        }
        byte[] bytes = new byte[length];
        in.get(bytes);
        return new String(bytes, StandardCharsets.UTF_8);
    }
}

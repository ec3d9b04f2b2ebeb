/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.auth;

import io.proxyrt.core.platform.SocketOwner;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.Optional;

/**
 * Finds a TCP socket in the kernel's lists {@code /proc/net/tcp} and {@code /proc/net/tcp6}. The kernel goes through
 * its whole table for that, which takes milliseconds even where there are few sockets.
 */
final class SocketTable {
    private static final String ESTABLISHED = "01";
    private static final int UID_FIELD = 7;
    private static final int MAPPED_BYTES = 16;

    private SocketTable() {
    }

    /**
     * Looks for the socket of a connection, and reads no further.
     *
     * @param folder of the lists
     * @param socket its own address
     * @param peer   that it is connected to
     * @return empty if it is not of this network namespace, or the system has no such lists
     */
    static Optional<SocketOwner> find(Path folder, InetSocketAddress socket, InetSocketAddress peer) {
        Optional<SocketOwner> found = Optional.empty();
        if (socket.getAddress() instanceof Inet4Address) {
            found = find(folder.resolve("tcp"), text(socket, false) + ' ' + text(peer, false));
        }
        // A socket of both families is listed among those of IPv6, whatever it carries.
        return found.isPresent() ? found : find(folder.resolve("tcp6"), text(socket, true) + ' ' + text(peer, true));
    }

    private static Optional<SocketOwner> find(Path table, String ends) {
        try (BufferedReader lines = Files.newBufferedReader(table, StandardCharsets.ISO_8859_1)) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                if (line.contains(ends)) {
                    return parse(line);
                }
            }
            return Optional.empty();
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    private static Optional<SocketOwner> parse(String line) {
        String[] fields = line.strip().split("\\s+");
        return fields.length > UID_FIELD && fields[UID_FIELD].matches("\\d{1,10}")
                ? Optional.of(new SocketOwner((int) Long.parseLong(fields[UID_FIELD]), fields[3].equals(ESTABLISHED)))
                : Optional.empty();
    }

    /** The kernel prints an address word by word, each as a number of its own byte order. */
    private static String text(InetSocketAddress end, boolean isIpv6) {
        ByteBuffer bytes = ByteBuffer.wrap(bytes(end.getAddress(), isIpv6)).order(ByteOrder.nativeOrder());
        HexFormat hex = HexFormat.of().withUpperCase();
        StringBuilder text = new StringBuilder();
        while (bytes.hasRemaining()) {
            text.append(hex.toHexDigits(bytes.getInt()));
        }
        return text.append(':').append(hex.toHexDigits((short) end.getPort())).toString();
    }

    private static byte[] bytes(InetAddress address, boolean isIpv6) {
        byte[] bytes = address.getAddress();
        if (!isIpv6 || bytes.length == MAPPED_BYTES) {
            return bytes;
        }
        return ByteBuffer.allocate(MAPPED_BYTES).putShort(MAPPED_BYTES - bytes.length - Short.BYTES, (short) -1)
                .put(MAPPED_BYTES - bytes.length, bytes).array();
    }
}

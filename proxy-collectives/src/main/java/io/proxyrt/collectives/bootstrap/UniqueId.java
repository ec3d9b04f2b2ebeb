/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives.bootstrap;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.Objects;
import java.util.regex.Pattern;

/**
 * Where a job's ranks meet, and which job it is: the address of the {@link BootstrapRoot} and 64 bits that set this job
 * apart from any other which used, or uses, the same address.
 *
 * <p>It travels to the ranks as text, by environment or argument: {@code host:port:magic}, the magic as 16 hexadecimal
 * digits, an IPv6 address in brackets. A host name stays a name, and is looked up anew at every try to connect.
 * Immutable and thread-safe; nothing here blocks or touches the network.
 *
 * @param address where the root listens; port 0 only where a root is opened
 * @param magic   the job's number
 */
public record UniqueId(InetSocketAddress address, long magic) {
    private static final Pattern NAME = Pattern.compile("(?=.*[A-Za-z])[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9.])?");
    private static final Pattern MAGIC = Pattern.compile("[0-9A-Fa-f]{16}");
    private static final int MAX_PORT = 65535;
    private static final String FORM = "; expected host:port:magic, as 10.0.0.1:29500:0123456789abcdef "
            + "or [fe80::1]:29500:0123456789abcdef";

    /**
     * An id of a known job.
     *
     * @throws NullPointerException without an address
     */
    public UniqueId {
        Objects.requireNonNull(address, "address");
    }

    /**
     * A new job at this address, with a magic from {@link SecureRandom}.
     *
     * @param address where its root listens, or will listen
     * @return an id like no other
     */
    public static UniqueId random(InetSocketAddress address) {
        return new UniqueId(address, new SecureRandom().nextLong());
    }

    /**
     * The id of a named job. Whoever knows the address and the name computes the same id, so launchers that hand out
     * only an address (torchrun's {@code MASTER_ADDR} and {@code MASTER_PORT}) need hand out nothing more.
     *
     * @param address where its root listens; does not enter the magic, so ranks may know it under different names
     * @param jobName any text; the same at all ranks, and best another one for each run
     * @return the id; equal arguments give equal ids, on every machine
     */
    public static UniqueId of(InetSocketAddress address, String jobName) {
        try {
            final MessageDigest sha256 = MessageDigest.getInstance("SHA-256");
            final byte[] digest = sha256.digest(("proxyrt-bootstrap:" + jobName).getBytes(StandardCharsets.UTF_8));
            return new UniqueId(address, ByteBuffer.wrap(digest).getLong());
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every Java platform has SHA-256", e);
        }
    }

    /**
     * Reads what {@link #toString()} wrote.
     *
     * @param text {@code host:port:magic}
     * @return the id
     * @throws ProxyException {@code INVALID_ARGUMENT} for any other text, saying what is wrong with it
     */
    public static UniqueId parse(String text) {
        final int magicColon = text.lastIndexOf(':');
        final int portColon = text.lastIndexOf(':', magicColon - 1);
        if (magicColon < 0 || portColon <= 0) {
            throw invalid(text, "has not three parts");
        }
        final String magic = text.substring(magicColon + 1);
        if (!MAGIC.matcher(magic).matches()) {
            throw invalid(text, "has not 16 hexadecimal digits at its end");
        }
        final int port = port(text, text.substring(portColon + 1, magicColon));
        final String host = text.substring(0, portColon);
        if (host.startsWith("[") != host.contains(":")) {
            throw invalid(text, "must have an IPv6 address, and nothing else, in brackets");
        }
        try {
            return new UniqueId(address(host, port), HexFormat.fromHexDigitsToLong(magic));
        } catch (ProxyException e) {
            throw invalid(text, "has for a host " + e.getMessage());
        }
    }

    private static int port(String text, String digits) {
        try {
            final int port = Integer.parseInt(digits);
            if (port > 0 && port <= MAX_PORT && Character.isDigit(digits.charAt(0))) {
                return port;
            }
        } catch (NumberFormatException e) {
            throw invalid(text, "has no number for a port: '" + Wording.clean(digits) + "'");
        }
        throw invalid(text, "has a port that is not within 1 to 65535: " + digits);
    }

    /** A literal address, in brackets or not, or a host name, which stays unresolved. */
    static InetSocketAddress address(String host, int port) {
        final boolean isBracketed = host.startsWith("[") && host.endsWith("]");
        final String bare = isBracketed ? host.substring(1, host.length() - 1) : host;
        if (NAME.matcher(bare).matches() && !isBracketed) {
            return InetSocketAddress.createUnresolved(bare, port);
        }
        try {
            return new InetSocketAddress(InetAddress.ofLiteral(bare), port);
        } catch (IllegalArgumentException e) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, "neither an address nor a host name: '"
                    + Wording.clean(host) + "'", e);
        }
    }

    private static ProxyException invalid(String text, String what) {
        return new ProxyException(ProxyResult.INVALID_ARGUMENT,
                "unique id '" + Wording.clean(text) + "' " + what + FORM);
    }

    /**
     * The text that {@link #parse} reads.
     *
     * @return {@code host:port:magic}
     */
    @Override
    public String toString() {
        return Wording.address(address) + ":" + HexFormat.of().toHexDigits(magic);
    }
}

/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bootstrap;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.auth.PeerText;
import io.proxyrt.core.config.JobSecret;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Objects;
import java.util.regex.Pattern;

/**
 * Where a job's ranks meet, and which job it is: the address of the {@link BootstrapRoot} and a key of 128 bits that
 * sets this job apart from any other which used, or uses, the same address.
 *
 * <p><b>A random id is a credential.</b> Who has it may join, unless the job has a secret besides
 * ({@link io.proxyrt.core.config.CoreOptions#SECRET_FILE}), and gets the data. So its text goes to the ranks by a
 * private file, their environment or their standard input; not by an argument, which every user of the host can read in
 * {@code /proc}, and not into a log, for which there is {@link #label()}. The bootstrap itself never sends the key.
 *
 * <p>An id {@linkplain #of made of a name} is none: others can compute it. With it a job needs a secret, or it has to
 * stay on the loopback interface, where the kernel tells whose the processes are.
 *
 * <p>The text is {@code host:port:key}, the key as 32 hexadecimal digits, behind {@code job-} if it was made of a name;
 * an IPv6 address is in brackets. A host name stays a name, and is looked up anew at every try to connect. Immutable
 * and thread-safe; nothing here blocks or touches the network.
 */
public final class UniqueId {
    private static final int KEY_BYTES = 16;
    private static final int LABEL_BYTES = 4;
    private static final String NAMED = "job-";
    private static final Pattern NAME = Pattern.compile("(?=.*[A-Za-z])[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9.])?");
    private static final Pattern KEY = Pattern.compile("(" + NAMED + ")?[0-9A-Fa-f]{" + 2 * KEY_BYTES + "}");
    private static final int MAX_PORT = 65535;
    private static final Pattern PERHAPS_KEY = Pattern.compile("[0-9A-Fa-f]{16,}");
    private static final String FORM = "; expected host:port:key, as 10.0.0.1:29500:0123456789abcdef0123456789abcdef "
            + "or [fe80::1]:29500:0123456789abcdef0123456789abcdef";

    private final InetSocketAddress address;
    private final byte[] key;
    private final boolean isRandom;

    private UniqueId(InetSocketAddress address, byte[] key, boolean isRandom) {
        this.address = Objects.requireNonNull(address, "address");
        this.key = key;
        this.isRandom = isRandom;
    }

    /**
     * A new job at this address, with a key from {@link SecureRandom}.
     *
     * @param address where its root listens, or will listen
     * @return an id like no other, to be kept from others
     */
    public static UniqueId random(InetSocketAddress address) {
        final byte[] key = new byte[KEY_BYTES];
        new SecureRandom().nextBytes(key);
        return new UniqueId(address, key, true);
    }

    /**
     * The id of a named job. All that know the address and the name compute the same id, so launchers that hand out
     * only an address (torchrun's {@code MASTER_ADDR} and {@code MASTER_PORT}) need hand out nothing more; and so it
     * proves nothing. Beyond the loopback interface a root is opened and joined with it only if there is a
     * {@linkplain io.proxyrt.core.config.CoreOptions#SECRET_FILE secret}.
     *
     * @param address where its root listens; does not enter the key, so ranks may know it under different names
     * @param jobName any text; the same at all ranks, and best another one for each run
     * @return the id; equal arguments give equal ids, on every machine
     */
    public static UniqueId of(InetSocketAddress address, String jobName) {
        try {
            final MessageDigest sha256 = MessageDigest.getInstance("SHA-256");
            final byte[] digest = sha256.digest(("proxyrt-bootstrap:" + jobName).getBytes(StandardCharsets.UTF_8));
            return new UniqueId(address, Arrays.copyOf(digest, KEY_BYTES), false);
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every Java platform has SHA-256", e);
        }
    }

    /**
     * Of a job that comes after another one, with a key for those of its ranks who know the nonce; that and the address
     * go to them by the old root. A rank that is left out has the secret, but gets neither, unless the old root is in
     * its process.
     */
    static UniqueId after(JobSecret job, byte[] nonce, InetSocketAddress address) {
        return new UniqueId(address, Arrays.copyOf(job.proof("proxyrt survivors", ByteBuffer.wrap(nonce)), KEY_BYTES),
                true);
    }

    /**
     * Reads what {@link #toString()} wrote.
     *
     * @param text {@code host:port:key}
     * @return the id
     * @throws ProxyException {@code INVALID_ARGUMENT} for any other text, saying what is wrong with it, and not the key
     */
    public static UniqueId parse(String text) {
        final int keyColon = text.lastIndexOf(':');
        final int portColon = text.lastIndexOf(':', keyColon - 1);
        if (keyColon < 0 || portColon <= 0) {
            throw invalid(text, "has not three parts");
        }
        final String key = text.substring(keyColon + 1);
        if (!KEY.matcher(key).matches()) {
            throw invalid(text, "ends with " + key.length() + " characters, which are not the "
                    + 2 * KEY_BYTES + " hexadecimal digits of a key");
        }
        final InetSocketAddress address = address(text, text.substring(0, portColon),
                text.substring(portColon + 1, keyColon));
        final boolean isNamed = key.startsWith(NAMED);
        return new UniqueId(address, HexFormat.of().parseHex(key.substring(isNamed ? NAMED.length() : 0)), !isNamed);
    }

    private static InetSocketAddress address(String text, String host, String digits) {
        final int port = port(text, digits);
        if (host.startsWith("[") != host.contains(":")) {
            throw invalid(text, "must have an IPv6 address, and nothing else, in brackets");
        }
        try {
            return address(host, port);
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
            throw invalid(text, "has no number for a port: '" + PeerText.line(digits) + "'");
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
                    + PeerText.line(host) + "'", e);
        }
    }

    private static ProxyException invalid(String text, String what) {
        return new ProxyException(ProxyResult.INVALID_ARGUMENT,
                "unique id '" + PERHAPS_KEY.matcher(PeerText.line(text)).replaceAll("(key)") + "' " + what + FORM);
    }

    /**
     * Where the root listens.
     *
     * @return port 0 only where a root is opened; unresolved if it is a host name
     */
    public InetSocketAddress address() {
        return address;
    }

    /**
     * Whether it is a credential.
     *
     * @return false if it was made {@linkplain #of of a name}, so that others can compute it
     */
    public boolean isRandom() {
        return isRandom;
    }

    /**
     * The same job at another address.
     *
     * @param other where its root listens, or under which other name it is known
     * @return an id with the same key
     */
    public UniqueId at(InetSocketAddress other) {
        return new UniqueId(other, key, isRandom);
    }

    /**
     * What tells jobs apart, for logs and listings.
     *
     * @return {@code host:port} and a number that follows from the key, but does not tell it
     */
    public String label() {
        final byte[] proof = JobSecret.of(key).proof("proxyrt label", ByteBuffer.allocate(0));
        return PeerText.address(address) + " #" + HexFormat.of().formatHex(proof, 0, LABEL_BYTES);
    }

    /** Not to be changed. */
    byte[] key() {
        return key;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof UniqueId id && address.equals(id.address) && isRandom == id.isRandom
                && MessageDigest.isEqual(key, id.key);
    }

    @Override
    public int hashCode() {
        return Objects.hash(address, Arrays.hashCode(key));
    }

    /**
     * The text that {@link #parse} reads: all that is needed to join, so not for a log.
     *
     * @return {@code host:port:key}
     */
    @Override
    public String toString() {
        return PeerText.address(address) + ":" + (isRandom ? "" : NAMED) + HexFormat.of().formatHex(key);
    }
}

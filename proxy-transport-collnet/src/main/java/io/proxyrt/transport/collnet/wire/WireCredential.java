/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.collnet.wire;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.auth.PeerText;
import io.proxyrt.core.auth.Transcript;
import io.proxyrt.core.auth.UserFilter;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.JobSecret;
import io.proxyrt.core.config.ProxyConfig;
import java.io.IOException;
import java.net.InetAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/**
 * By what a switch and the processes that connect to it know each other. Both sides of a connection prove by
 * HMAC-SHA256 over the hello and the challenge that they have the secret; and the kernel tells whose process of this
 * host the other side is. Immutable; any thread.
 */
public final class WireCredential {
    private static final String PARTICIPANT = "proxyrt switch participant";
    private static final String SWITCH = "proxyrt switch";
    /** Known to all: then only the kernel tells whose process a peer is, which it does within a host. */
    private static final byte[] NO_SECRET = "proxyrt switch without a secret".getBytes(StandardCharsets.US_ASCII);

    private final JobSecret secret;
    private final boolean isGuessable;
    private final UserFilter users;

    private WireCredential(JobSecret secret, boolean isGuessable, UserFilter users) {
        this.secret = secret;
        this.isGuessable = isGuessable;
        this.users = users;
    }

    /**
     * Of a switch that was started by a command.
     *
     * @param config with the secret, if there is one
     * @return the credential
     * @throws ProxyException {@link ProxyResult#INVALID_ARGUMENT} if the secret cannot be read
     */
    public static WireCredential of(ProxyConfig config) {
        final Optional<JobSecret> secret = JobSecret.of(config);
        return new WireCredential(secret.orElseGet(() -> JobSecret.of(NO_SECRET)), secret.isEmpty(),
                UserFilter.of(config));
    }

    /**
     * Of a switch that a group's member started for the group alone.
     *
     * @param config   which users may be peers
     * @param groupKey {@link GroupId#KEY_BYTES} random bytes
     * @return the credential
     */
    public static WireCredential ofGroup(ProxyConfig config, byte[] groupKey) {
        return new WireCredential(JobSecret.of(groupKey), false, UserFilter.of(config));
    }

    /**
     * Checks that no other user's process can be the other side: without a secret only this host will do.
     *
     * @param address that is listened at, or connected to
     * @param what    is done there, such as {@code the switch cannot listen at}
     * @throws ProxyException {@link ProxyResult#INVALID_USAGE} if others could
     */
    public void requireFor(InetAddress address, String what) {
        if (isGuessable && !address.isLoopbackAddress()) {
            throw new ProxyException(ProxyResult.INVALID_USAGE, what + " " + address.getHostAddress()
                    + " without a secret, for other hosts reach it: give the switches and all ranks the same, by a "
                    + "file that only its owner can read (" + CoreOptions.SECRET_FILE + ", "
                    + CoreOptions.SECRET_FILE.environmentName() + ") or in the environment ("
                    + CoreOptions.SECRET.environmentName() + ")");
        }
    }

    /**
     * Why the process at the other end of a connection may not be there, as far as the kernel tells. Takes
     * microseconds, or milliseconds where there is no platform; to be asked while the other side waits for an answer.
     *
     * @param channel connected
     * @return empty if it may
     * @throws IOException if the connection is gone
     */
    public String refusal(SocketChannel channel) throws IOException {
        final UserFilter.Verdict verdict = users.judge(channel.getLocalAddress(), channel.getRemoteAddress());
        if (!verdict.isKnown() && isGuessable) {
            return "the system does not tell which user's process it is, and without a secret nothing else does; see "
                    + CoreOptions.SECRET_FILE;
        }
        return verdict.refusal();
    }

    /**
     * A switch's address as both ends of a connection to it know it. It is a part of what is proven, so that no proof
     * can be passed on to another switch. A zone of IPv6 is the end's own affair, so it is left out.
     *
     * @param address of the switch's end
     * @return host and port
     */
    public static String dialled(SocketAddress address) {
        final String text = PeerText.address(address);
        final int zone = text.indexOf('%');
        return zone < 0 ? text : text.substring(0, zone) + text.substring(text.indexOf(']'));
    }

    /**
     * What the connecting side proves itself with.
     *
     * @param address   {@link #dialled}
     * @param hello     as it was sent, from position to limit
     * @param challenge as it was sent
     * @return {@link WireDescriptor#PROOF_BYTES}
     */
    public byte[] participantProof(String address, ByteBuffer hello, ByteBuffer challenge) {
        return said(address, hello, challenge).proof(PARTICIPANT);
    }

    /**
     * Checks that.
     *
     * @param address   {@link #dialled}
     * @param hello     as it was received
     * @param challenge as it was sent
     * @param proof     from position to limit
     * @return true if the other side has the secret, and has dialled this address
     */
    public boolean isParticipantProof(String address, ByteBuffer hello, ByteBuffer challenge, ByteBuffer proof) {
        return said(address, hello, challenge).isProof(PARTICIPANT, proof);
    }

    /**
     * What the switch proves itself, and its verdict, with.
     *
     * @param address   {@link #dialled}
     * @param hello     as it was received
     * @param challenge as it was sent
     * @param verdict   as it is sent
     * @return {@link WireDescriptor#PROOF_BYTES}
     */
    public byte[] switchProof(String address, ByteBuffer hello, ByteBuffer challenge, ByteBuffer verdict) {
        return said(address, hello, challenge).add(verdict).proof(SWITCH);
    }

    /**
     * Checks that.
     *
     * @param address   {@link #dialled}
     * @param hello     as it was sent
     * @param challenge as it was received
     * @param verdict   as it was received
     * @param proof     of the welcome
     * @return true if a switch at this address has the secret, and that is its verdict
     */
    public boolean isSwitchProof(String address, ByteBuffer hello, ByteBuffer challenge, ByteBuffer verdict,
            byte[] proof) {
        return said(address, hello, challenge).add(verdict).isProof(SWITCH, ByteBuffer.wrap(proof));
    }

    private Transcript said(String address, ByteBuffer hello, ByteBuffer challenge) {
        return new Transcript(secret).add(address).add(hello).add(challenge);
    }
}

/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bootstrap;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.auth.Transcript;
import io.proxyrt.core.auth.UserFilter;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.JobSecret;
import io.proxyrt.core.config.ProxyConfig;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.Optional;

/**
 * What only the processes of a job know: the key of the unique id and, if the ranks were given one, the
 * secret. Both sides of a connection prove by HMAC-SHA256 over the hello and the challenge, which have a nonce of each
 * side, that they know it; it never travels. Then they share the job's secret, which follows from it and from a salt
 * that the root sends to those who have proven themselves. Immutable; any thread.
 */
final class Credential {
    private static final String MIXED = "proxyrt bootstrap key";
    private static final String RANK = "proxyrt bootstrap rank";
    private static final String ROOT = "proxyrt bootstrap root";
    private static final String JOB = "proxyrt job";
    private static final String TREE = "proxyrt bootstrap tree";

    private final JobSecret key;
    private final boolean isGuessable;
    private final UserFilter users;

    private Credential(JobSecret key, boolean isGuessable, UserFilter users) {
        this.key = key;
        this.isGuessable = isGuessable;
        this.users = users;
    }

    static Credential of(UniqueId id, ProxyConfig config) {
        final Optional<JobSecret> secret = JobSecret.of(config);
        final JobSecret key = secret.map(given -> given.derive(MIXED, id.key()))
                .orElseGet(() -> JobSecret.of(id.key()));
        return new Credential(key, secret.isEmpty() && !id.isRandom(), UserFilter.of(config));
    }

    /** Whether others may know it, too: an id that follows from a name, and no secret. */
    boolean isGuessable() {
        return isGuessable;
    }

    /** Throws {@code INVALID_USAGE} if others may know it, and may reach this address, too. */
    void requireFor(InetAddress address) {
        if (isGuessable && !address.isLoopbackAddress()) {
            throw new ProxyException(ProxyResult.INVALID_USAGE, "the unique id of the job follows from a name that "
                    + "others may know, and other hosts can reach " + address.getHostAddress() + ": give all ranks the "
                    + "same secret, by a file that only its owner can read (" + CoreOptions.SECRET_FILE + ", "
                    + CoreOptions.SECRET_FILE.environmentName() + ") or in the environment ("
                    + CoreOptions.SECRET.environmentName() + "), or a random id");
        }
    }

    byte[] rankProof(Message.Hello hello, Message.Challenge challenge) {
        return said(hello, challenge).proof(RANK);
    }

    boolean isRankProof(Message.Hello hello, Message.Challenge challenge, Message.Proof proof) {
        return said(hello, challenge).isProof(RANK, ByteBuffer.wrap(proof.proof()));
    }

    /** What the root says to a rank that has proven itself. */
    Message.Welcome welcome(Message.Hello hello, Message.Challenge challenge, byte[] salt) {
        return new Message.Welcome(salt, said(hello, challenge).add(ByteBuffer.wrap(salt)).proof(ROOT));
    }

    boolean isRootProof(Message.Hello hello, Message.Challenge challenge, Message.Welcome welcome) {
        return said(hello, challenge).add(ByteBuffer.wrap(welcome.salt()))
                .isProof(ROOT, ByteBuffer.wrap(welcome.proof()));
    }

    private Transcript said(Message.Hello hello, Message.Challenge challenge) {
        return new Transcript(key).add(MessageCodec.encode(hello)).add(MessageCodec.encode(challenge));
    }

    /** The secret of this job, another one for each root. */
    JobSecret job(byte[] salt) {
        return key.derive(JOB, salt);
    }

    /** By which two ranks of this job know each other, of which one is in the root's place. */
    Credential ofTree(JobSecret job) {
        return new Credential(job.derive(TREE, MessageCodec.NOTHING), isGuessable, users);
    }

    /** Why the process at the other end of a link may not take part, as far as the kernel tells; empty if it may. */
    String refusal(Link link) {
        final UserFilter.Verdict verdict = users.judge(link.localAddress(), link.remoteAddress());
        if (!verdict.isKnown() && isGuessable) {
            return "the system does not tell which user's process it is, and without a secret nothing else does; see "
                    + CoreOptions.SECRET_FILE;
        }
        return verdict.refusal();
    }
}

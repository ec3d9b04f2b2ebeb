/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bootstrap;

import io.proxyrt.core.config.JobSecret;
import java.util.ArrayDeque;
import java.util.Queue;

/**
 * A rank's side of a new connection: proves itself, and believes nothing until the root has done so, too. Confined to
 * one thread.
 */
final class RankHandshake {
    private final Credential credential;
    private final Link link;
    private final Message.Hello hello;
    private final Queue<Message> received = new ArrayDeque<>();
    private Message.Challenge challenge;
    private JobSecret secret;

    RankHandshake(Credential credential, Link link, Message.Hello hello) {
        this.credential = credential;
        this.link = link;
        this.hello = hello;
    }

    /** Queues the first frame. */
    void begin() {
        link.offer(MessageCodec.encode(hello));
    }

    /** Takes what came; throws {@link Imposter} or {@code REMOTE_ERROR} if no root of this job sends that. */
    void receive(Message message) {
        switch (message) {
            case Message _ when secret != null -> keep(message);
            case Message.Challenge asked when challenge == null -> prove(asked);
            case Message.Welcome welcome when challenge != null -> trust(welcome);
            case Message.Busy busy -> throw new Imposter(busy.text(), null);
            case Message.Refused refused -> throw new Imposter("it refused this rank, and has not proven to be the "
                    + "root of this job: " + refused.text(), null);
            default -> throw MessageReader.malformed("a " + message.getClass().getSimpleName() + " without a proof");
        }
    }

    private void prove(Message.Challenge asked) {
        challenge = asked;
        link.offer(MessageCodec.encode(new Message.Proof(credential.rankProof(hello, challenge))));
    }

    private void trust(Message.Welcome welcome) {
        if (!credential.isRootProof(hello, challenge, welcome)) {
            throw new Imposter("it does not know the unique id or the secret of this job", null);
        }
        secret = credential.job(welcome.salt());
    }

    private void keep(Message message) {
        if (message instanceof Message.Accepted || message instanceof Message.Resumed) {
            final String refusal = credential.refusal(link);
            if (!refusal.isEmpty()) {
                throw new Imposter("the root's process may be no peer: " + refusal, null);
            }
        }
        if (message instanceof Message.Accepted accepted) {
            link.maxBodyBytes(Math.clamp(accepted.maxFrameBytes(), BootstrapDescriptor.MAX_ANSWER_BYTES,
                    BootstrapConfig.MAX_FRAME_BYTES));
        }
        received.add(message);
    }

    /** Whether the root has proven itself and answered. */
    boolean isAnswered() {
        return !received.isEmpty();
    }

    /** The answer, and what came right behind it. */
    Queue<Message> received() {
        return received;
    }

    /** Of the job; null until the root has proven itself. */
    JobSecret secret() {
        return secret;
    }

    /** Who answers is not the root of this job; perhaps it will be at the next try. Never leaves this package. */
    static final class Imposter extends RuntimeException {
        private static final long serialVersionUID = 1;

        Imposter(String message, Throwable cause) {
            super(message, cause);
        }
    }
}

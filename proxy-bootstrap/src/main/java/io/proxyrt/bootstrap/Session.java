/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bootstrap;

import io.proxyrt.core.config.JobSecret;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Queue;

/**
 * A rank's connection that the root has accepted, and what it takes to make another one.
 *
 * @param poller   has the link, and the connections of the rank's place in the tree of answers
 * @param link     the connection
 * @param remote   where the root was found
 * @param claim    what the rank says of itself
 * @param answer   what the root said to that
 * @param config   the limits that the root named
 * @param secret   of the job
 * @param early    what came right behind the root's answer
 */
record Session(Poller poller, Link link, InetSocketAddress remote, Claim claim, Message.Accepted answer,
        BootstrapConfig config, JobSecret secret, Queue<Message> early) implements AutoCloseable {
    int rank() {
        return claim.rank();
    }

    LinkTerms terms() {
        return answer.terms();
    }

    /** The longest body of a frame that the root may send. */
    int maxBodyBytes() {
        return Math.max(BootstrapDescriptor.MAX_ANSWER_BYTES, config.maxFrameBytes());
    }

    /** Of another connection with which this rank comes back. */
    RankHandshake handshake(Link next, Return back) {
        return new RankHandshake(claim.credential(), next, claim.hello(back, 0, 0));
    }

    /** Ends it before a thread drives it, and has the root tell the others why. */
    void giveUp(String reason) {
        try (this) {
            link.offer(MessageCodec.encode(new Message.Abort(reason)));
            link.flush();
        } catch (IOException e) {
            BootstrapRoot.LOG.debug("the reason why a rank gives up did not leave this process", e);
        }
    }

    @Override
    public void close() {
        link.close();
        poller.close();
    }
}

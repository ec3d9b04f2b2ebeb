/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bootstrap;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.config.ProxyConfig;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Arrays;

/**
 * Has ranks of a job that has failed meet again, as a job of their own. The first of them opens its root, and tells the
 * others where by way of the old one, which passes messages on as long as it lives. The key of the new job follows from
 * the old one's secret and a nonce, and does not travel. A rank that is left out has that secret, too, but gets neither
 * the nonce nor the port, unless the old root is in its process. Thread-safe.
 *
 * <pre>
 *  i nRanks | i job ranks, nRanks times | nonce | i port | address
 * </pre>
 */
final class Survivors {
    static final int TAG = GroupMail.TAG + 3;
    private static final int NONCE_BYTES = 16;

    private final Bootstrap bootstrap;
    /** Not ended by the job's failure. */
    private final Inbox inbox;

    Survivors(Bootstrap bootstrap) {
        this.bootstrap = bootstrap;
        this.inbox = new Inbox(bootstrap.maxQueuedBytes());
        bootstrap.listen(TAG, (rank, blob) -> inbox.put(rank, TAG, blob));
    }

    /**
     * Meets the others.
     *
     * @param jobRanks that are to meet, in the order of their numbers; this one among them
     * @param config   of this rank's new runtime
     * @param timeout  for the first of them to say where
     * @return the new job's
     */
    RankRuntime meet(int[] jobRanks, ProxyConfig config, Duration timeout) {
        if (!bootstrap.hasRoot()) {
            throw new ProxyException(ProxyResult.REMOTE_ERROR, bootstrap.self() + ": ranks " + Wording.list(jobRanks)
                    + " cannot meet again: what they told each other went by way of the bootstrap root, which is gone"
                    + " too; let them join another job, whose root a launcher or one of them opens");
        }
        return jobRanks[0] == bootstrap.rank() ? lead(jobRanks, config) : follow(jobRanks, config, timeout);
    }

    private RankRuntime lead(int[] jobRanks, ProxyConfig config) {
        final byte[] nonce = new byte[NONCE_BYTES];
        new SecureRandom().nextBytes(nonce);
        final BootstrapRoot root = BootstrapRoot.open(UniqueId.after(bootstrap.secret(), nonce,
                new InetSocketAddress(bootstrap.localAddress(), 0)), jobRanks.length, bootstrap.config(), config);
        try {
            final byte[] where = where(jobRanks, nonce, root.address());
            for (int i = 1; i < jobRanks.length; i++) {
                bootstrap.sendAnyway(jobRanks[i], TAG, where);
            }
            return RankRuntime.join(root.id(), 0, jobRanks.length, config, root);
        } catch (RuntimeException | Error e) {
            root.close(Duration.ZERO);
            throw e;
        }
    }

    private static byte[] where(int[] jobRanks, byte[] nonce, InetSocketAddress address) {
        final byte[] host = address.getAddress().getAddress();
        final ByteBuffer out = ByteBuffer.allocate((2 + jobRanks.length) * Integer.BYTES + NONCE_BYTES + host.length);
        out.putInt(jobRanks.length);
        Arrays.stream(jobRanks).forEach(out::putInt);
        return out.put(nonce).putInt(address.getPort()).put(host).array();
    }

    private RankRuntime follow(int[] jobRanks, ProxyConfig config, Duration timeout) {
        final ByteBuffer in = ByteBuffer.wrap(latest(jobRanks[0], timeout));
        int place = 1;
        while (jobRanks[place] != bootstrap.rank()) {
            place++;
        }
        try {
            final int[] theirs = new int[Math.clamp(in.getInt(), 0, bootstrap.nRanks())];
            Arrays.setAll(theirs, any -> in.getInt());
            if (!Arrays.equals(theirs, jobRanks)) {
                throw new ProxyException(ProxyResult.INVALID_USAGE, bootstrap.self() + " is to meet again with ranks "
                        + Wording.list(jobRanks) + ", and rank " + jobRanks[0] + " with ranks " + Wording.list(theirs)
                        + "; all that stay have to leave out the same ones");
            }
            final byte[] nonce = new byte[NONCE_BYTES];
            in.get(nonce);
            final int port = in.getInt();
            final byte[] host = new byte[in.remaining()];
            in.get(host);
            final InetSocketAddress address = new InetSocketAddress(InetAddress.getByAddress(host), port);
            return RankRuntime.join(UniqueId.after(bootstrap.secret(), nonce, address), place, jobRanks.length, config);
        } catch (BufferUnderflowException | UnknownHostException | IllegalArgumentException e) {
            throw new ProxyException(ProxyResult.REMOTE_ERROR, "rank " + jobRanks[0]
                    + " told what makes no sense of where to meet again", e);
        }
    }

    /** What was told before belongs to a try that this rank did not take part in. */
    private byte[] latest(int leader, Duration timeout) {
        byte[] told;
        try {
            told = inbox.take(leader, TAG, timeout);
        } catch (ProxyException e) {
            throw e.result() != ProxyResult.TIMEOUT ? e : new ProxyException(ProxyResult.TIMEOUT, bootstrap.self()
                    + ": rank " + leader + ", the first of those that are to meet again, has not said where within "
                    + Wording.duration(timeout), e);
        }
        for (byte[] next = told; next != null; next = inbox.poll(leader, TAG)) {
            told = next;
        }
        return told;
    }
}

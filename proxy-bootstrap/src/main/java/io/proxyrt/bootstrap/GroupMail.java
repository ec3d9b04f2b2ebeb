/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bootstrap;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import java.nio.ByteBuffer;
import java.util.BitSet;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntFunction;

/**
 * The mail of all groups that some ranks of a job form: blobs of the bootstrap with one tag, in an envelope that says
 * of which group they are. Thread-safe.
 *
 * <pre>
 *  i leader | i number | kind | i tag | blob          as of BootstrapDescriptor; kind is one byte
 * </pre>
 */
final class GroupMail {
    /** Of the job's blobs that are for a group. */
    static final int TAG = Integer.MIN_VALUE;
    static final int HEAD_BYTES = 3 * Integer.BYTES + 1;
    private static final byte BLOB = 0;
    private static final byte LEFT = 1;
    /**
     * Groups of which others know before this rank does: one for each thread that is about to split or shrink, so that
     * more are no groups.
     */
    private static final int MAX_UNKNOWN = 64;

    private final Bootstrap bootstrap;
    private final int maxQueuedBytes;
    private final AtomicInteger numbers = new AtomicInteger();
    private final Map<Id, GroupBox> boxes = new ConcurrentHashMap<>();

    GroupMail(Bootstrap bootstrap, int maxQueuedBytes) {
        this.bootstrap = bootstrap;
        this.maxQueuedBytes = maxQueuedBytes;
        bootstrap.listen(TAG, this::hear);
        bootstrap.onFailure(e -> boxes.values().forEach(box -> box.fail(e)));
    }

    /**
     * Names a group among those of a job.
     *
     * @param leader the job's number of its rank 0
     * @param number of that rank's, which it uses once
     */
    record Id(int leader, int number) {
        static Id read(ByteBuffer in) {
            return new Id(in.getInt(), in.getInt());
        }

        void put(ByteBuffer out) {
            out.putInt(leader).putInt(number);
        }
    }

    Bootstrap bootstrap() {
        return bootstrap;
    }

    /** For a group that this rank may come to lead. */
    int nextNumber() {
        return numbers.getAndIncrement();
    }

    /**
     * Where the group's mail lies, that which came before this rank knew of the group included.
     *
     * @param members of the job, this one too
     * @param names   how they read in messages
     */
    GroupBox open(Id id, BitSet members, IntFunction<String> names) {
        final GroupBox box = box(id);
        if (!box.open(members, names)) {
            throw new ProxyException(ProxyResult.REMOTE_ERROR, "rank " + id.leader + " of the job gives a new group the"
                    + " number " + id.number + ", which " + box + " has");
        }
        return box;
    }

    private GroupBox box(Id id) {
        return boxes.computeIfAbsent(id, any -> new GroupBox(maxQueuedBytes));
    }

    /** How many groups there are, left ones included from which mail may still come. */
    int count() {
        return boxes.size();
    }

    void send(Id id, int jobRank, int tag, byte[] blob) {
        if (jobRank != bootstrap.rank()) {
            send(id, jobRank, BLOB, tag, blob);
        } else if (!box(id).put(jobRank, tag, blob.clone())) {
            throw new ProxyException(ProxyResult.SYSTEM_ERROR, "rank " + jobRank + " has more than " + maxQueuedBytes
                    + " bytes that it did not receive");
        }
    }

    /** This rank leaves a group: its last word to another one. */
    void leave(Id id, int jobRank) {
        send(id, jobRank, LEFT, 0, MessageCodec.NOTHING);
    }

    /** No more mail comes for this group. */
    void forget(Id id) {
        boxes.remove(id);
    }

    private void send(Id id, int jobRank, byte kind, int tag, byte[] blob) {
        final ByteBuffer out = ByteBuffer.allocate(HEAD_BYTES + blob.length);
        id.put(out);
        bootstrap.send(jobRank, TAG, out.put(kind).putInt(tag).put(blob).array());
    }

    /** The bootstrap's thread. */
    private void hear(int jobRank, byte[] mail) {
        if (mail.length < HEAD_BYTES) {
            bootstrap.giveUp("rank " + jobRank + " sent " + mail.length + " bytes as mail of a group");
            return;
        }
        final ByteBuffer in = ByteBuffer.wrap(mail);
        final Id id = Id.read(in);
        final byte kind = in.get();
        final int tag = in.getInt();
        final byte[] blob = new byte[in.remaining()];
        in.get(blob);
        if (kind != BLOB && kind != LEFT || id.leader < 0 || id.leader >= bootstrap.nRanks()) {
            bootstrap.giveUp("rank " + jobRank + " sent mail of kind " + kind + " of a group that rank " + id.leader
                    + " leads, which makes no sense");
        } else if (!boxes.containsKey(id) && unknown() >= MAX_UNKNOWN) {
            bootstrap.giveUp("mail has come of more than " + MAX_UNKNOWN + " groups that this rank does not know, the"
                    + " last from rank " + jobRank);
        } else if (kind == LEFT) {
            left(id, jobRank);
        } else {
            keep(id, jobRank, tag, blob);
        }
    }

    private long unknown() {
        return boxes.values().stream().filter(box -> !box.isKnown()).count();
    }

    private void left(Id id, int jobRank) {
        if (box(id).left(jobRank)) {
            forget(id);
        }
    }

    private void keep(Id id, int jobRank, int tag, byte[] blob) {
        final GroupBox box = box(id);
        if (!box.put(jobRank, tag, blob)) {
            bootstrap.giveUp("more than " + maxQueuedBytes + " bytes have come for " + box
                    + " that were not received, the last from rank " + jobRank + " with tag " + tag);
        }
    }

    /** Refuses a blob that does not fit into a frame together with its envelope. */
    static void requireFits(byte[] blob, int maxBlobBytes) {
        if (blob.length > maxBlobBytes - HEAD_BYTES) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, "a blob of " + blob.length + " bytes; at most "
                    + (maxBlobBytes - HEAD_BYTES) + " fit into a frame of this job");
        }
    }
}

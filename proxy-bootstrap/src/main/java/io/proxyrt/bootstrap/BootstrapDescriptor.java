/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bootstrap;

/**
 * The wire format of the bootstrap, version 4. Every number is big-endian; every connection is a sequence of frames in
 * either direction.
 *
 * <pre>
 *   0               1               2               3
 *  +---------------------------------------------------------------+
 *  |  length of the body in bytes                                  |  0
 *  +---------------+---------------+-------------------------------+
 *  |  version      |  type         |  reserved, zero               |  4
 *  +---------------+---------------+-------------------------------+
 *  |  body                                                        ...  8
 * </pre>
 *
 * <p>Bodies; an {@code i} is 4 bytes, an {@code l} is 8, {@code result} is an {@code i} numbered as
 * {@code ProxyResult}, a nonce, a proof and the salt have 32 bytes each, {@code kind} is one byte (1 all-gather, 2
 * barrier); {@code text} (UTF-8, at most 4096 bytes) and {@code blob} run to the end of the body.
 *
 * <pre>
 *   1 HELLO        rank → root  l protocol magic | nonce | i rank | i nRanks | origin | l deadline ms | l ms left
 *                               | i silence ms | i resume ms | l session | i attempt | l received
 *   2 ACCEPTED     root → rank  i heartbeat ms | i max frame bytes | i max queued bytes | i silence ms | i resume ms
 *                               | l session | origin
 *   3 REFUSED      root → rank  result | text                      and the root closes
 *   4 READY        root → rank                                     all ranks have joined
 *   5 HEARTBEAT    both         l received
 *   6 PART         rank → root  kind | l sequence | l timeout ms | blob
 *   7 GATHERED     root → rank  l sequence | i rank | n times: i length, blob     of n ranks that follow each other;
 *                               as many as it takes for all, then ROUND_DONE
 *   8 ROUND_DONE   root → rank  kind | l sequence
 *   9 ROUND_FAILED root → rank  kind | l sequence | result | text
 *  10 BLOB         rank → root  i destination | i tag | blob
 *                  root → rank  i source | i tag | blob
 *  11 FAILED       root → rank  i rank, or -1 | result | text      the job has failed
 *  12 LEFT         root → rank  i first | i count                  so many ranks from that one on said goodbye
 *  13 ABORT        rank → root  text                               this rank has failed
 *  14 GOODBYE      rank → root                                     the connection's end will be no death
 *  15 CHALLENGE    root → rank  nonce
 *  16 PROOF        rank → root  proof
 *  17 WELCOME      root → rank  salt | proof
 *  18 BUSY         root → peer  text                               too many unauthenticated connections: come again
 *  19 RESUMED      root → rank  l received
 *  20 HOST         root → rank  i rank | l pid                     the root lives in that rank's process
 *  21 FAN          root → rank  i fan                              so many ranks will dial this one
 *  22 DOOR         rank → root  i port                             there, and it passes answers on to them
 *  23 ABOVE        root → rank  i port | address                   of the rank that passes answers on
 *  24 GOT          rank → root  l sequence                         all blobs of that all-gather are here
 * </pre>
 *
 * <p>Tags from 0 on are connect infos; -1 is for what ranks tell each other when they may disagree, -2 for whose
 * network failed, -3 for what neighbours in a ring tell each other; the least 16 are the bootstrap's own: mail of
 * groups, rounds of some ranks, and where those that are left of a failed job meet again.
 *
 * <p>An origin is {@code l pid | l start | l PID namespace | l boot}: start in kernel ticks, the inode of the
 * namespace, and 64 bits that tell one boot of a kernel from another. The silence in a HELLO is what the rank wants, 0
 * if it leaves that to the root, and the resume how long its link may be broken, 0 if not at all; ACCEPTED says what
 * holds.
 *
 * <p>READY, 6 to 14 and those from HOST on are numbered, from 1 in each direction; a heartbeat says how many of them
 * have come. Where a link can be resumed, each side keeps what it sent until then, and says where it is at least every
 * 256 KiB. A rank whose connection breaks dials again: attempt, 0 for a rank that joins, is greater than any before,
 * session as in ACCEPTED, and received as in a heartbeat. After the same proofs the root answers with RESUMED instead
 * of ACCEPTED, or with REFUSED, and both repeat what the other has not got. A rank that does not come back in time is
 * dead, or at once if its process is on the root's host and has ended.
 *
 * <p>A proof is HMAC-SHA256 over: a label in ASCII ({@code proxyrt bootstrap rank}, {@code proxyrt bootstrap root}), a
 * zero byte, the frames of HELLO and CHALLENGE, and for the root's the salt. Its key is that of the unique id; with a
 * secret, HMAC-SHA256 under the secret over {@code proxyrt bootstrap key}, a zero byte and the key of the id. The
 * secret of the job is HMAC-SHA256 under the same key over {@code proxyrt job}, a zero byte and the salt, which is
 * random, and the same for all ranks of a root.
 *
 * <p>In a large job the ranks below rank r are those from (r + 1) fan to (r + 2) fan - 1. A rank that got FAN listens,
 * says DOOR, and from then on repeats each GATHERED, and each ROUND_DONE of an all-gather, to the ranks below, which
 * got ABOVE and dialled it. On those connections HELLO, CHALLENGE, PROOF and WELCOME are as with a root, and nothing
 * but those two frames follows; the key is HMAC-SHA256 under the secret of the job over
 * {@code proxyrt bootstrap tree} and a zero byte. The root does not send them to those ranks, but waits for their GOT;
 * those that have not said it after two seconds and 50 µs a rank, or when a rank leaves or the job fails, get them from
 * the root, then and from then on; once a rank has left, all do. What comes twice counts once.
 *
 * <p>A conversation: HELLO, CHALLENGE, PROOF, WELCOME, ACCEPTED, READY when all are there, then anything, then GOODBYE,
 * whereupon the root closes. Sequences count the rounds of each kind from 0, at each rank; they match up parts of one
 * round. A peer whose first frame is no HELLO gets no answer at all; one whose proof is wrong, or whose process belongs
 * to another user, gets a REFUSED in place of WELCOME, which says why and proves nothing. In every version a header is
 * as above.
 */
final class BootstrapDescriptor {
    static final byte VERSION = 4;
    static final int HEADER_BYTES = 8;
    static final int TYPE_OFFSET = 5;
    /** The ASCII bytes of PRXYBOOT. */
    static final long PROTOCOL_MAGIC = 0x50525859_424F4F54L;
    static final int MAX_TEXT_BYTES = 4096;
    /** What a frame of an unauthenticated peer may hold: a HELLO has 124. */
    static final int MAX_UNAUTHENTICATED_BYTES = 256;
    /** What a rank accepts of a root before it knows the job's limit. */
    static final int MAX_ANSWER_BYTES = 8192;
    /** The most of a frame's body that is not its blob. */
    static final int MAX_BLOB_OVERHEAD = 17;
    /** Room for the fields of fixed length of any body. */
    static final int MAX_HEAD_BYTES = 124;
    /** The rank in FAILED when no single rank is at fault. */
    static final int NO_RANK = -1;

    private BootstrapDescriptor() {
    }
}

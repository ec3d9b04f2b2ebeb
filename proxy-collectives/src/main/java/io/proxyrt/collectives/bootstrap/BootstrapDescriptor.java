/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives.bootstrap;

/**
 * The wire format of the bootstrap, version 1. Every number is big-endian; every connection is a sequence of frames in
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
 * {@code ProxyResult}, {@code kind} is one byte (1 all-gather, 2 barrier); {@code text} (UTF-8, at most 4096 bytes) and
 * {@code blob} run to the end of the body.
 *
 * <pre>
 *   1 HELLO        rank → root  l protocol magic | l job magic | i rank | i nRanks | l pid | l deadline ms | l ms left
 *   2 ACCEPTED     root → rank  i heartbeat ms | i silence ms | i max frame bytes | i max queued bytes
 *   3 REFUSED      root → rank  result | text                      and the root closes
 *   4 READY        root → rank                                     all ranks have joined
 *   5 HEARTBEAT    both
 *   6 PART         rank → root  kind | l sequence | l timeout ms | blob
 *   7 GATHERED     root → rank  l sequence | i rank | blob         one for each rank, then ROUND_DONE
 *   8 ROUND_DONE   root → rank  kind | l sequence
 *   9 ROUND_FAILED root → rank  kind | l sequence | result | text
 *  10 BLOB         rank → root  i destination | i tag | blob
 *                  root → rank  i source | i tag | blob
 *  11 FAILED       root → rank  i rank, or -1 | result | text      the job has failed
 *  12 LEFT         root → rank  i rank                             that rank said goodbye
 *  13 ABORT        rank → root  text                               this rank has failed
 *  14 GOODBYE      rank → root                                     the connection's end will be no death
 * </pre>
 *
 * <p>A conversation: HELLO, ACCEPTED, READY when all are there, then anything, then GOODBYE, whereupon the root closes.
 * Sequences count the rounds of each kind from 0, at each rank; they match up parts of one round. A peer whose first
 * frame is no HELLO with both magics right gets no answer at all. In every version a header is as above.
 */
final class BootstrapDescriptor {
    static final byte VERSION = 1;
    static final int HEADER_BYTES = 8;
    /** The ASCII bytes of PRXYBOOT. */
    static final long PROTOCOL_MAGIC = 0x50525859_424F4F54L;
    static final int MAX_TEXT_BYTES = 4096;
    /** What a frame of somebody unknown may hold: a HELLO has 48. */
    static final int MAX_STRANGER_BYTES = 256;
    /** What a rank accepts of a root before it knows the job's limit. */
    static final int MAX_ANSWER_BYTES = 8192;
    /** The most of a frame's body that is not its blob. */
    static final int MAX_BLOB_OVERHEAD = 17;
    /** Room for the fields of fixed length of any body. */
    static final int MAX_HEAD_BYTES = 48;
    /** The rank in FAILED when no single rank is at fault. */
    static final int NO_RANK = -1;

    private BootstrapDescriptor() {
    }
}

/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives.msccl;

import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * What a step of a file does, by MSCCL's words: of what comes in, a source, or both, to a target, a peer, or both. The
 * last two are of MSCCL++, whose signals need no data.
 */
public enum StepKind {
    /** Sends the source. */
    SEND("s", false, true, true, false),
    /** Puts what comes in into the target. */
    RECV("r", true, false, false, true),
    /** Puts what comes in into the target, and passes it on. */
    RECV_COPY_SEND("rcs", true, true, false, true),
    /** Reduces what comes in with the source, and passes the result on. */
    RECV_REDUCE_SEND("rrs", true, true, true, false),
    /** Reduces what comes in with the source into the target. */
    RECV_REDUCE_COPY("rrc", true, false, true, true),
    /** Reduces what comes in with the source into the target, and passes the result on. */
    RECV_REDUCE_COPY_SEND("rrcs", true, true, true, true),
    /** Copies the source to the target. */
    COPY("cpy", false, false, true, true),
    /** Reduces the source with the target, into the target. */
    REDUCE("re", false, false, true, true),
    /** Only waits for another block. */
    NOP("nop", false, false, false, false),
    /** Tells the peer that this step has come, and sends it nothing. */
    SIGNAL("signal", false, true, false, false),
    /** Waits for the peer's signal. */
    WAIT("wait", true, false, false, false);

    /** Those of MSCCL's XML. */
    private static final Set<StepKind> OF_XML = EnumSet.range(SEND, NOP);

    private final String word;
    private final boolean receives;
    private final boolean sends;
    private final boolean reads;
    private final boolean writes;

    StepKind(String word, boolean receives, boolean sends, boolean reads, boolean writes) {
        this.word = word;
        this.receives = receives;
        this.sends = sends;
        this.reads = reads;
        this.writes = writes;
    }

    /**
     * The kind of a word of MSCCL's XML.
     *
     * @param word as in a file
     * @return empty if there is none
     */
    static Optional<StepKind> of(String word) {
        return OF_XML.stream().filter(kind -> kind.word.equals(word)).findFirst();
    }

    /** The words of MSCCL's XML. */
    static List<String> words() {
        return OF_XML.stream().map(StepKind::word).toList();
    }

    /** {@return as in a file} */
    public String word() {
        return word;
    }

    /** {@return whether it takes something from the block's peer} */
    public boolean receives() {
        return receives;
    }

    /** {@return whether it sends something to the block's peer} */
    public boolean sends() {
        return sends;
    }

    /** {@return whether it reads a source} */
    public boolean reads() {
        return reads;
    }

    /** {@return whether it writes a target} */
    public boolean writes() {
        return writes;
    }
}

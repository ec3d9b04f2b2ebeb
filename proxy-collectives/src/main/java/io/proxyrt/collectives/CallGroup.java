/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import io.proxyrt.collectives.kernel.CollectiveWork;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import java.util.Arrays;

/**
 * What a rank was asked for and has not launched: the calls of a group, or a single one. NCCL's planner of tasks.
 * Reused: it allocates nothing once it is large enough. The communicator's thread only.
 */
final class CallGroup {
    private static final int FIRST_SIZE = 4;

    private final int rank;
    private final int nRanks;
    private CollectiveWork[] works = {};
    private int worksSize;
    private Message[] messages = {};
    private int messagesSize;
    /** By rank: how many messages there are each way, of collectives and others. */
    private final int[] collectiveSends;
    private final int[] collectiveRecvs;
    private final int[] sends;
    private final int[] recvs;
    private long[] words = new long[FIRST_SIZE];
    private long[] sizes = new long[FIRST_SIZE];
    private int noted;
    /** Inputs that are copied before anything is sent: their outputs are the same memory. */
    private final CopiedInputs copied = new CopiedInputs();

    CallGroup(int rank, int nRanks) {
        this.rank = rank;
        this.nRanks = nRanks;
        this.collectiveSends = new int[nRanks];
        this.collectiveRecvs = new int[nRanks];
        this.sends = new int[nRanks];
        this.recvs = new int[nRanks];
    }

    /** A collective that was asked for; to be filled. What the ranks compare is noted apart. */
    CollectiveWork collective() {
        if (worksSize == works.length) {
            int before = worksSize;
            works = Arrays.copyOf(works, Math.max(FIRST_SIZE, 2 * before));
            Arrays.setAll(works, i -> i < before ? works[i] : new CollectiveWork(nRanks));
        }
        return works[worksSize++];
    }

    /** Something that all ranks have to be asked for alike. */
    void note(long word, long bytes) {
        if (noted == words.length) {
            words = Arrays.copyOf(words, 2 * noted);
            sizes = Arrays.copyOf(sizes, 2 * noted);
        }
        words[noted] = word;
        sizes[noted++] = bytes;
    }

    /** One end of a message that was asked for by itself, or is part of a collective; its part is to be filled. */
    Message message(int peer, boolean isSend, boolean isOfCollective) {
        if (messagesSize == messages.length) {
            int before = messagesSize;
            messages = Arrays.copyOf(messages, Math.max(FIRST_SIZE, 2 * before));
            Arrays.setAll(messages, i -> i < before ? messages[i] : new Message());
        }
        Message message = messages[messagesSize++];
        message.peer = peer;
        message.isSend = isSend;
        message.isMoved = true;
        message.isCompared = false;
        int[] numbers = isOfCollective ? isSend ? collectiveSends : collectiveRecvs : isSend ? sends : recvs;
        message.place(Math.floorMod(isSend ? peer - rank : rank - peer, nRanks), isOfCollective, numbers[peer]++);
        return message;
    }

    /** Puts messages in order, and sees that those of this rank to itself have both ends. */
    void complete() {
        for (int i = 1; i < messagesSize; i++) {
            Message message = messages[i];
            int at = i;
            for (; at > 0 && message.isBefore(messages[at - 1]); at--) {
                messages[at] = messages[at - 1];
            }
            messages[at] = message;
        }
        assert collectiveSends[rank] == collectiveRecvs[rank] : rank;
        if (sends[rank] != recvs[rank]) {
            throw refused(sends[rank] + " messages to this rank itself, and " + recvs[rank] + " from it");
        }
        for (int i = 0; i < 2 * (collectiveSends[rank] + sends[rank]); i += 2) {
            long out = messages[i].part.bytes();
            long in = messages[i + 1].part.bytes();
            if (out != in) {
                throw refused("a message of " + out + " bytes to this rank itself, and " + in + " bytes for it");
            }
        }
    }

    private ProxyException refused(String what) {
        return new ProxyException(ProxyResult.INVALID_USAGE, "rank " + rank + ": a group has " + what);
    }

    CopiedInputs copied() {
        return copied;
    }

    /** Whether nothing is moved; calls without data are noted all the same. */
    boolean isEmpty() {
        return worksSize == 0 && messagesSize == 0;
    }

    int works() {
        return worksSize;
    }

    CollectiveWork work(int index) {
        return works[index];
    }

    int messages() {
        return messagesSize;
    }

    Message message(int index) {
        return messages[index];
    }

    int noted() {
        return noted;
    }

    long word(int index) {
        return words[index];
    }

    long bytes(int index) {
        return sizes[index];
    }

    /** Forgets all, the user's memory first. */
    void clear() {
        for (int i = 0; i < worksSize; i++) {
            works[i].clear();
        }
        for (int i = 0; i < messagesSize; i++) {
            messages[i].part.clear();
            collectiveSends[messages[i].peer] = 0;
            collectiveRecvs[messages[i].peer] = 0;
            sends[messages[i].peer] = 0;
            recvs[messages[i].peer] = 0;
        }
        copied.clear();
        worksSize = 0;
        messagesSize = 0;
        noted = 0;
    }
}

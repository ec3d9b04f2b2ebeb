/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.ib;

import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.verbs.SendRequest;
import io.proxyrt.core.verbs.WorkCompletion;
import io.proxyrt.transport.net.spi.NetMemory;
import io.proxyrt.transport.net.spi.NetSendComm;
import java.lang.foreign.Arena;
import java.util.Arrays;

/**
 * Sends. A message waits until the receiver has told, in the FIFO, where it goes: then it is written there, and the
 * last write tells the receiver by its immediate. Messages of a group are written together.
 *
 * <pre>
 *  tested  ≤  complete  ≤  posted  ≤  tested + 256     (messages, when tested in order)
 *  written ≤  irecvs that the receiver told of
 * </pre>
 */
final class IbSendComm extends IbComm implements NetSendComm {
    /** Messages that may be outstanding: all that the receiver can have told of. */
    static final int MAX = ClearToSend.SLOTS * ClearToSend.MAX_RECVS;
    /** The last one tells of a message that does not fit. */
    private static final int RESERVE = 1;
    /** Work requests in a send queue: messages of all slots, and what tells of them. */
    static final int SENDS = ClearToSend.SLOTS * (ClearToSend.MAX_RECVS + 1) + RESERVE;
    /** The immediate that tells of a message which does not fit; its size is in the sizes. */
    static final int TOO_LONG = -1;
    private static final int MAX_CHAIN = ClearToSend.MAX_RECVS * IbDevice.MAX_PIECES + 1;
    /** The fewest work requests in a send queue with which every group goes out. */
    static final int LEAST_SENDS = MAX_CHAIN + RESERVE;

    private final IbMemory[] memories = new IbMemory[MAX];
    private final long[] addresses = new long[MAX];
    private final long[] sizes = new long[MAX];
    private final int[] tags = new int[MAX];
    private final boolean[] isOutstanding = new boolean[MAX];
    private final boolean[] isMatched = new boolean[MAX];
    private final boolean[] isDone = new boolean[MAX];
    private final int maxWriteBytes;
    private final long maxMessageBytes;
    private final long aloneBeyondBytes;
    private final SendFailover failover;
    /** Of one write without bytes. */
    private final WriteChain nothing = new WriteChain(Arena.ofAuto(), 1, 0);
    private WriteChain chain;
    /** Work requests that each send queue has room for. */
    private int[] room;
    /** Work requests of each slot at each queue pair. */
    private int[] used;
    /** Of each slot: its messages, by element; how many; on how many ways they are not complete. */
    private final long[] members = new long[MAX];
    private final int[] counts = new int[ClearToSend.SLOTS];
    private final int[] pending = new int[ClearToSend.SLOTS];
    private long posted;
    private long complete;
    /** How many messages were written. */
    private long writtenMessages;
    /** All messages up to this one have their element. */
    private long matched;
    /** Messages up to this one have been looked at for the irecv that is next. */
    private long scanned;
    /** Elements of that irecv that have their message. */
    private int found;
    /** Irecvs that were written to, and those that are complete. */
    private long written;
    private long delivered;

    IbSendComm(IbNet net, Endpoint end, EndInfo remote, PeerWatch.Peer peer) {
        super(net, end.device(), peer);
        this.maxWriteBytes = end.device().maxWriteBytes();
        this.maxMessageBytes = end.device().properties(ClearToSend.MAX_RECVS).maxP2pBytes();
        this.aloneBeyondBytes = net.isAdaptive(end.device()) ? net.settings().data().adaptiveThreshold()
                : Long.MAX_VALUE;
        this.failover = isKept(net, remote) ? new SendFailover(net, this, end.plan(), remote) : null;
        begin(end, remote, failover);
    }

    @Override
    void adopt(Endpoint made, EndInfo theirs, long first) {
        super.adopt(made, theirs, first);
        chain = new WriteChain(made.arena(), MAX_CHAIN, made.inlineBytes());
        room = new int[plan.pairs()];
        Arrays.fill(room, made.sends() - RESERVE);
        used = new int[ClearToSend.SLOTS * plan.pairs()];
    }

    @Override
    public long isend(NetMemory memory, long offset, long bytes, int tag) {
        if (isFailed()) {
            return code();
        }
        int refusal = check(memory, offset, bytes);
        if (refusal < 0) {
            return refusal;
        }
        if (bytes > maxMessageBytes) {
            return refuse("a message of " + bytes + " bytes is longer than the " + maxMessageBytes
                    + " that the network carries");
        }
        int place = place(posted + 1);
        if (isOutstanding[place]) {
            progress();
            return code();
        }
        take(place, (IbMemory) memory, offset, bytes, tag);
        posted++;
        match();
        return isFailed() ? code() : posted;
    }

    private void take(int place, IbMemory memory, long offset, long bytes, int tag) {
        isOutstanding[place] = true;
        isMatched[place] = false;
        isDone[place] = false;
        // A store of a reference costs the collector's barrier each time.
        if (memories[place] != memory) {
            memories[place] = memory;
        }
        addresses[place] = memory.segment().address() + offset;
        sizes[place] = bytes;
        tags[place] = tag;
    }

    @Override
    public int test(long request, long[] sizes) {
        if (request > complete && request <= posted) {
            progress();
        }
        if (request <= 0 || request > posted || request <= posted - MAX || !isOutstanding[place(request)]) {
            return notOutstanding(request);
        }
        if (request > complete) {
            return code();
        }
        isOutstanding[place(request)] = false;
        sizes[0] = this.sizes[place(request)];
        return 1;
    }

    @Override
    boolean progress() {
        if (isFailed() || complete == posted && !isRestless()) {
            return false;
        }
        long before = written + delivered;
        boolean isMoving = isFailingOver() && failover.progress();
        match();
        if (written > delivered && hasPairs()) {
            poll();
        }
        if (written + delivered == before && !isMoving) {
            lookAround();
        }
        return isMoving || written + delivered != before || isFailed();
    }

    @Override
    long messages() {
        return delivered;
    }

    /** If the receiver had all that was written, its acknowledgements were lost. */
    @Override
    void peerLeft(long messages) {
        for (long irecv = Math.max(0, written - ClearToSend.SLOTS); irecv < written && messages >= written; irecv++) {
            if (pending[ClearToSend.slot(irecv)] > 0) {
                delivered(ClearToSend.slot(irecv));
            }
        }
    }

    /** Who receives nothing any more acknowledges nothing. */
    @Override
    boolean isOver(long sent) {
        return true;
    }

    /** Writes messages that wait, as far as the receiver has told where they go. */
    private void match() {
        while (writtenMessages < posted && !isFailed() && (hasPairs() || failover.isCarrying())) {
            int slot = ClearToSend.slot(written);
            int count = pending[slot] > 0 ? 0 : members(slot);
            if (count == 0 || !fill(slot, count) || !write(slot, count)) {
                return;
            }
        }
    }

    /** How many messages the next irecv is for; 0 if the receiver has not told, or not all of it has arrived. */
    private int members(int slot) {
        long first = ClearToSend.element(slot, 0);
        if (!ClearToSend.isThere(memory, first, written + 1)) {
            return 0;
        }
        int count = ClearToSend.count(memory, first);
        if (count < 1 || count > ClearToSend.MAX_RECVS) {
            fail(ProxyResult.REMOTE_ERROR, peer().name() + " says that it receives " + count + " messages at once");
            return 0;
        }
        for (int i = 1; i < count; i++) {
            if (!ClearToSend.isThere(memory, ClearToSend.element(slot, i), written + 1)) {
                return 0;
            }
        }
        return count;
    }

    /** Finds messages for elements, in the order of posting, by tag. Returns whether each element has one. */
    private boolean fill(int slot, int count) {
        if (counts[slot] == 0) {
            counts[slot] = count;
            Arrays.fill(members, slot * ClearToSend.MAX_RECVS, slot * ClearToSend.MAX_RECVS + count, 0);
            scanned = matched;
            found = 0;
        }
        while (found < count && scanned < posted && !isFailed()) {
            scanned++;
            if (!isMatched[place(scanned)]) {
                match(slot, count, scanned);
            }
        }
        while (matched < posted && isMatched[place(matched + 1)]) {
            matched++;
        }
        return found == count && !isFailed();
    }

    private void match(int slot, int count, long message) {
        for (int i = 0; i < count; i++) {
            int member = slot * ClearToSend.MAX_RECVS + i;
            long element = ClearToSend.element(slot, i);
            if (members[member] == 0 && ClearToSend.tag(memory, element) == tags[place(message)]) {
                members[member] = message;
                isMatched[place(message)] = true;
                found++;
                if (sizes[place(message)] > ClearToSend.size(memory, element)) {
                    refuseToTruncate(slot, count, message, ClearToSend.size(memory, element));
                }
                return;
            }
        }
    }

    /** Returns whether there was room for it, and its memory is there. */
    private boolean write(int slot, int count) {
        if (!hasPairs()) {
            return carryNext(slot, count);
        }
        int first = plan.first(written - base);
        if (!hasRoom(first, needed(slot, count)) || !isUsable(slot, count)) {
            return false;
        }
        pending[slot] = plan.pairsPerSend();
        for (int i = 0; i < plan.pairsPerSend() && !isFailed(); i++) {
            chain.begin(end.workId(WorkId.DATA, slot, first + i));
            if (count == 1) {
                chainOne(slot, first + i, i);
            } else {
                chainGroup(slot, count, first + i, i);
            }
            post(slot, first + i);
        }
        written++;
        writtenMessages += count;
        return !isFailed();
    }

    private boolean hasRoom(int first, int needed) {
        for (int i = 0; i < plan.pairsPerSend(); i++) {
            if (room[first + i] < needed) {
                return false;
            }
        }
        return true;
    }

    /** The CPU reads what goes inline: nothing would tell it that the memory is gone, as keys tell the adapter. */
    private boolean isUsable(int slot, int count) {
        for (int i = 0; i < count && !isFailed(); i++) {
            long message = members[slot * ClearToSend.MAX_RECVS + i];
            if (!memories[place(message)].isUsable()) {
                int status = WorkCompletion.LOCAL_PROTECTION_ERROR;
                fail(ProxyResult.REMOTE_ERROR, "connection with " + peer().name() + " broke in message " + message
                        + ": " + WorkCompletion.statusName(status) + "; " + StatusHint.of(status));
            }
        }
        return !isFailed();
    }

    /** Work requests at each queue pair, at most. */
    private int needed(int slot, int count) {
        int needed = 1;
        for (int i = 0; i < count; i++) {
            long bytes = sizes[place(members[slot * ClearToSend.MAX_RECVS + i])];
            needed += (int) Math.ceilDiv(Math.min(bytes, plan.share(bytes)), maxWriteBytes);
        }
        assert needed <= MAX_CHAIN : needed;
        return needed;
    }

    /** Of a single message its last write carries the immediate, unless packets may pass each other. */
    private void chainOne(int slot, int pair, int share) {
        int place = place(members[slot * ClearToSend.MAX_RECVS]);
        boolean isAlone = sizes[place] > aloneBeyondBytes;
        chainShare(slot, 0, pair, share, !isAlone);
        if (isAlone) {
            chain.add(SendRequest.RDMA_WRITE_WITH_IMM, SendRequest.SIGNALED, true, 0, 0, 0, 0, 0);
        }
        chain.immediate((int) sizes[place]);
    }

    /** Of a group their sizes carry the immediate. */
    private void chainGroup(int slot, int count, int pair, int share) {
        for (int i = 0; i < count; i++) {
            chainShare(slot, i, pair, share, false);
            ClearToSend.size(memory, slot, i, sizes[place(members[slot * ClearToSend.MAX_RECVS + i])]);
        }
        chainSizes(slot, share == 0 ? count : 0, pair);
        chain.immediate(0);
    }

    /** A last write, of so many sizes: none where another queue pair carries them. */
    private void chainSizes(int slot, int count, int pair) {
        long at = ClearToSend.sizes(slot);
        chain.add(SendRequest.RDMA_WRITE_WITH_IMM, SendRequest.SIGNALED, true, memory.address() + at,
                count * Long.BYTES, end.lkey(pair), remoteAddress + at, remoteKeys[pair % remoteKeys.length]);
    }

    /** A queue pair's share of a message, in pieces that the adapter takes. */
    private void chainShare(int slot, int index, int pair, int share, boolean isLast) {
        int place = place(members[slot * ClearToSend.MAX_RECVS + index]);
        long element = ClearToSend.element(slot, index);
        IbMemory source = memories[place];
        int lkey = source.lkey(memoryPort(pair));
        int rkey = ClearToSend.rkey(memory, element, pair % remoteKeys.length);
        long remote = ClearToSend.address(memory, element);
        long from = Math.min(sizes[place], share * plan.share(sizes[place]));
        long to = Math.min(sizes[place], from + plan.share(sizes[place]));
        while (to - from > maxWriteBytes) {
            chain.add(SendRequest.RDMA_WRITE, 0, false, addresses[place] + from, maxWriteBytes, lkey, remote + from,
                    rkey);
            from += maxWriteBytes;
        }
        if (isLast) {
            chain.add(SendRequest.RDMA_WRITE_WITH_IMM, SendRequest.SIGNALED, source.isHosts(), addresses[place] + from,
                    (int) (to - from), lkey, remote + from, rkey);
        } else if (to > from) {
            chain.add(SendRequest.RDMA_WRITE, 0, source.isHosts(), addresses[place] + from, (int) (to - from), lkey,
                    remote + from, rkey);
        }
    }

    private void post(int slot, int pair) {
        int errno = chain.post(end.pair(pair));
        if (errno != 0) {
            postFailed(errno, pair, "a message");
        }
        used[slot * plan.pairs() + pair] = chain.count();
        room[pair] -= chain.count();
    }

    /** What does not fit is not sent at all: the receiver is told its size, and both ends fail. */
    private void refuseToTruncate(int slot, int count, long message, long capacity) {
        int errno = 0;
        if (hasPairs()) {
            errno = tellSizes(slot, count);
        } else {
            failover.tooLong(written, sizes(slot, count));
        }
        fail(ProxyResult.INVALID_USAGE, "message " + message + " to " + peer().name() + " has "
                + sizes[place(message)] + " bytes, and its receive " + capacity
                + (errno == 0 ? "" : "; the peer could not be told: errno " + errno));
    }

    private int tellSizes(int slot, int count) {
        int pair = plan.first(written - base);
        for (int i = 0; i < count; i++) {
            ClearToSend.size(memory, slot, i, size(slot, i));
        }
        chain.begin(end.workId(WorkId.DATA, slot, pair));
        chainSizes(slot, count, pair);
        chain.immediate(TOO_LONG);
        return chain.post(end.pair(pair));
    }

    /** Of an element; 0 if it has no message yet. */
    private long size(int slot, int index) {
        long member = members[slot * ClearToSend.MAX_RECVS + index];
        return member == 0 ? 0 : sizes[place(member)];
    }

    private long[] sizes(int slot, int count) {
        long[] all = new long[count];
        for (int i = 0; i < count; i++) {
            all[i] = size(slot, i);
        }
        return all;
    }

    private boolean carryNext(int slot, int count) {
        if (!isUsable(slot, count)) {
            return false;
        }
        carry(slot, written);
        written++;
        writtenMessages += count;
        return !isFailed();
    }

    /** Has the control connection carry an irecv's messages, for the first time or again. */
    void carry(int slot, long irecv) {
        int count = counts[slot];
        pending[slot] = 1;
        if (!isOfHosts(slot, count)) {
            fail(ProxyResult.REMOTE_ERROR, "connection with " + peer().name()
                    + " is lost: its queue pairs failed, and what it sends is in a GPU's memory");
            return;
        }
        failover.data(irecv, sizes(slot, count));
        for (int i = 0; i < count; i++) {
            int place = place(members[slot * ClearToSend.MAX_RECVS + i]);
            IbMemory from = memories[place];
            failover.wire.addMessage(from, addresses[place] - from.segment().address(), sizes[place]);
        }
    }

    private boolean isOfHosts(int slot, int count) {
        for (int i = 0; i < count; i++) {
            if (!memories[place(members[slot * ClearToSend.MAX_RECVS + i])].isHosts()) {
                return false;
            }
        }
        return true;
    }

    /** Irecvs that were written to, on whatever way. */
    long written() {
        return written;
    }

    /** Whether an irecv's messages are under way. */
    boolean isPending(int slot) {
        return pending[slot] > 0;
    }

    /** Writes nothing by a queue pair of its own, or of those that are to be used; returns 0 or an errno. */
    int writeNothing(Endpoint by, int kind, int pair) {
        nothing.begin(by.workId(kind, 0, pair));
        nothing.add(SendRequest.RDMA_WRITE, SendRequest.SIGNALED, true, 0, 0, 0, 0, 0);
        return nothing.post(by.pair(pair));
    }

    @Override
    void completed(long id, int immediate) {
        int slot = WorkId.slot(id);
        int pair = WorkId.pair(id);
        if (WorkId.kind(id) == WorkId.PROBE) {
            failover.probed();
            return;
        }
        assert WorkId.kind(id) == WorkId.DATA && pending[slot] > 0 : WorkId.text(id);
        room[pair] += used[slot * plan.pairs() + pair];
        if (--pending[slot] == 0) {
            delivered(slot);
        }
    }

    /** Of all messages of an irecv it is known that the receiver has them, or will. */
    void delivered(int slot) {
        pending[slot] = 0;
        for (int i = 0; i < counts[slot]; i++) {
            isDone[place(members[slot * ClearToSend.MAX_RECVS + i])] = true;
        }
        counts[slot] = 0;
        delivered++;
        while (complete < posted && isDone[place(complete + 1)]) {
            complete++;
        }
    }

    private static int place(long message) {
        return (int) (message - 1) & MAX - 1;
    }
}

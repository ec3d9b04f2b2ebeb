/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.socket;

import io.proxyrt.core.ProxyResult;
import io.proxyrt.transport.net.spi.NetMemory;
import io.proxyrt.transport.net.spi.NetSendComm;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;

/**
 * Sends. On the control socket bytes leave in this order: what is in the staging buffer, then the rest of the message
 * {@code staged}. Headers of all messages up to that one are in the staging buffer, or were; only its last message may
 * have a rest outside, which leaves with what is staged where the platform can do that in one call. The JDK's gathering
 * write allocates for buffers that belong to an arena; without the platform more is copied instead.
 *
 * <p>On a connection that is resumed a message is complete when the receiver has acknowledged it: until then its memory
 * may be needed again.
 */
final class SocketSendComm extends SocketComm implements NetSendComm {
    /** Messages up to this size are copied as a whole: one system call instead of two is worth more than the copy. */
    private static final int COPY_BYTES = 32 << 10;
    /** The same where one call takes what is staged and the rest as well. */
    private static final int GATHERED_BYTES = 4 << 10;
    /** What is copied of larger ones, so that the receiver's first read brings more than a header. */
    private static final int FIRST_BYTES = 4 << 10;

    private final ByteBuffer staging;
    private final MemorySegment stagingMemory;
    private final SocketAcks acks;
    private final SocketChecksum checksum;
    private final SocketCursor cursor = new SocketCursor();
    private final long inlineBytes;
    private long staged;
    /** Messages up to this one have left the control socket. */
    private long flushed;
    /** Messages up to this one were made known to the data sockets. */
    private long announced;
    /** Bytes of the next message to be staged that the receiver has already. */
    private long kept;
    private long acknowledged;
    private long restOffset;
    private long restBytes;
    private long total;

    SocketSendComm(SocketCommFactory factory, SocketChannel[] channels, SocketSession session) {
        super(factory, channels, session);
        SocketTerms terms = session.terms();
        this.staging = ByteBuffer.allocateDirect(COPY_BYTES + SocketFrame.HEADER_BYTES).limit(0);
        this.stagingMemory = MemorySegment.ofBuffer(staging.duplicate().clear());
        this.acks = terms.isResumable() ? new SocketAcks() : null;
        this.checksum = terms.isChecked() ? new SocketChecksum() : null;
        this.inlineBytes = terms.sockets() == 0 ? Long.MAX_VALUE : factory.settings().sharing().inlineBytes();
    }

    @Override
    SocketRepair repair(int index, SocketCommFactory factory) {
        return new SocketRedial(index, session, factory);
    }

    @Override
    SocketStream stream(int index, SocketWire wire, SocketCommFactory factory) {
        return new SocketSendStream(index, wire, messages,
                repair == null ? null : new SocketRedial(index, session, factory));
    }

    @Override
    public long isend(NetMemory memory, long offset, long bytes, int tag) {
        return isend(memory, offset, bytes, tag, 0);
    }

    @Override
    public long isend(NetMemory memory, long offset, long bytes, int tag, int stamp) {
        enter();
        try {
            boolean isIdle = flushed == posted;
            long request = post(memory, offset, bytes, tag);
            if (request <= 0) {
                return request;
            }
            messages.stamps[SocketMessages.place(request)] = stamp;
            if (isIdle) {
                ready();
                drive(request, false);
                return result().isError() ? -result().code() : request;
            }
            return request;
        } finally {
            leave();
        }
    }

    @Override
    void progress(long request, boolean isAsked) throws IOException {
        boolean isMoving = true;
        while (isMoving && complete < request && !result().isError()) {
            isMoving = push();
            isMoving |= driveStreams();
            settle();
            if (!isMoving && isAsked && acks != null) {
                isMoving = hear();
            }
        }
    }

    @Override
    int controlOps() {
        return (flushed < posted ? SelectionKey.OP_WRITE : 0) | (acks == null ? 0 : SelectionKey.OP_READ);
    }

    @Override
    long controlDone() {
        return acks == null ? flushed : acknowledged;
    }

    @Override
    long controlTotal() {
        return total;
    }

    @Override
    boolean hasBytes() {
        return false;
    }

    @Override
    boolean isPeerInDebt() {
        return complete < posted;
    }

    @Override
    boolean isIntact(long message) {
        return true;
    }

    @Override
    boolean isOffered() {
        return false;
    }

    @Override
    void attend() throws IOException {
        driveStreams();
        if (isUp()) {
            hear();
        }
    }

    @Override
    boolean isRestored() throws IOException {
        if (!repair.advance(control, cursor, complete)) {
            return false;
        }
        long heard = ((SocketRedial) repair).acknowledged();
        boolean isSound = heard >= acknowledged && cursor.at > heard && cursor.at <= staged + 1
                && cursor.moved >= 0 && cursor.moved <= (cursor.at <= staged ? size(cursor.at) : 0);
        if (!isSound) {
            throw new IOException("the peer wants to go on at " + cursor + " after " + heard
                    + ", and was sent up to " + staged);
        }
        acks.clear();
        acknowledge(heard);
        staged = cursor.at - 1;
        flushed = staged;
        kept = cursor.moved;
        restBytes = 0;
        staging.clear().limit(0);
        return true;
    }

    @Override
    void sayGoodbye() throws IOException {
        if (isFlushed() && !repair.isDue()) {
            staging.clear();
            staging.putLong(SocketFrame.goodbye());
            control.write(staging.position(SocketFrame.HEADER_BYTES).flip());
        }
    }

    @Override
    void readLeftovers() {
        try {
            readAcks();
        } catch (IOException e) {
            SocketChannels.LOG.debug("nothing was left to read: {}", e.toString());
        }
    }

    /** One system call, if there is something to write. Returns whether another one would be worth it. */
    private boolean push() throws IOException {
        if (!isUp()) {
            return false;
        }
        try {
            if (isFlushed()) {
                stage();
            }
            boolean isTaken = !isFlushed() && write();
            if (isFlushed()) {
                flushed = staged;
            }
            return isTaken;
        } catch (IOException e) {
            interrupted(e);
            return false;
        }
    }

    /** Reads acknowledgements. Returns whether there was a new one. */
    private boolean hear() throws IOException {
        if (repair.isDue()) {
            return false;
        }
        long before = complete;
        try {
            readAcks();
        } catch (IOException e) {
            interrupted(e);
        }
        return complete > before;
    }

    private void readAcks() throws IOException {
        if (!acks.isGoodbye()) {
            acknowledge(acks.read(control, acknowledged));
        }
        // A helper thread may not have noticed yet that it is through with what was acknowledged.
        if (acks.isGoodbye() && complete == acknowledged && !result().isError()) {
            closedByPeer();
        }
    }

    private void acknowledge(long message) {
        if (message < acknowledged || message > staged) {
            fail(ProxyResult.REMOTE_ERROR, "connection to " + session.peer() + " brought the acknowledgement of "
                    + message + ", behind " + acknowledged + " and with " + staged + " sent");
        } else if (message > acknowledged) {
            acknowledged = message;
            messages.acknowledge(message);
            settle();
        }
    }

    private long size(long message) {
        return messages.sizes[SocketMessages.place(message)];
    }

    private boolean isFlushed() {
        return restBytes == 0 && !staging.hasRemaining();
    }

    private void stage() throws IOException {
        staging.clear();
        while (staged < posted && restBytes == 0 && hasRoom(size(staged + 1))) {
            stage(++staged);
        }
        staging.flip();
    }

    private boolean hasRoom(long bytes) {
        return staging.remaining() >= SocketFrame.HEADER_BYTES + stagedBytes(bytes);
    }

    private int stagedBytes(long bytes) {
        if (bytes > inlineBytes) {
            return 0;
        }
        if (control.isGathering()) {
            return bytes <= GATHERED_BYTES ? (int) bytes : 0;
        }
        return bytes <= COPY_BYTES ? (int) bytes : FIRST_BYTES;
    }

    private void stage(long message) throws IOException {
        int place = SocketMessages.place(message);
        boolean isInline = messages.sizes[place] <= inlineBytes;
        stageHeader(message, place, isInline);
        if (message > announced) {
            announce(message, isInline);
        }
        if (isInline) {
            stagePayload(place);
        }
        kept = 0;
    }

    private void stageHeader(long message, int place, boolean isInline) {
        staging.putLong(SocketFrame.sizeAndFlags(messages.sizes[place], isInline)).putInt(messages.tags[place])
                .putInt((int) message).putInt(messages.stamps[place]).putInt(checksum == null ? 0
                        : checksum.of(messages.memories[place], messages.offsets[place], messages.sizes[place]));
    }

    private void announce(long message, boolean isInline) throws IOException {
        announced = message;
        if (isInline) {
            messages.inline(message);
        } else {
            stripe(message);
        }
    }

    private void stagePayload(int place) {
        long offset = messages.offsets[place] + kept;
        long bytes = messages.sizes[place] - kept;
        int copied = stagedBytes(bytes);
        MemorySegment.copy(messages.memories[place].segment(), offset, stagingMemory, staging.position(), copied);
        staging.position(staging.position() + copied);
        restOffset = offset + copied;
        restBytes = bytes - copied;
    }

    /** One system call. Returns whether the socket took all it was offered. */
    private boolean write() throws IOException {
        if (staging.hasRemaining()) {
            return restBytes > 0 && control.isGathering() ? writeGathered() : writeStaged();
        }
        ByteBuffer view = messages.memories[SocketMessages.place(staged)].view(0, restOffset,
                Math.min(restBytes, SocketStream.CALL_BYTES));
        int written = control.write(view);
        advanceRest(written);
        total += written;
        return !view.hasRemaining();
    }

    private boolean writeStaged() throws IOException {
        total += control.writeStaged(staging, stagingMemory);
        return !staging.hasRemaining();
    }

    private boolean writeGathered() throws IOException {
        int bytes = (int) Math.min(restBytes, SocketStream.CALL_BYTES);
        int ahead = staging.remaining();
        int written = control.writeGathered(staging, stagingMemory,
                messages.memories[SocketMessages.place(staged)].segment(), restOffset, bytes);
        advanceRest(Math.max(0, written - ahead));
        total += written;
        return written == ahead + bytes;
    }

    private void advanceRest(int bytes) {
        restOffset += bytes;
        restBytes -= bytes;
    }
}

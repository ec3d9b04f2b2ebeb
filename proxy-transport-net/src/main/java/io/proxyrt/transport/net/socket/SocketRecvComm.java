/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.socket;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.transport.net.socket.SocketCandidates.Guest;
import io.proxyrt.transport.net.spi.NetMemory;
import io.proxyrt.transport.net.spi.NetRecvComm;
import java.io.EOFException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;

/**
 * Receives. The staging buffer holds bytes of the control socket that were read but not yet asked for: never the
 * payload of a message whose receive is being filled.
 */
final class SocketRecvComm extends SocketComm implements NetRecvComm {
    /** Takes in several small messages at once; what it takes of a large one is copied once more. */
    private static final int STAGING_BYTES = 16 << 10;
    /** A sender with more requests under way than this need not wait for the last of them to be acknowledged. */
    private static final int ACK_INTERVAL = 8;

    private final ByteBuffer staging;
    private final MemorySegment stagingMemory;
    private final SocketChecksum checksum;
    private final int rank;
    private final ByteBuffer ack = ByteBuffer.allocateDirect(2 * SocketFrame.ACK_BYTES);
    private final SocketCursor cursor = new SocketCursor();
    /** Messages up to this one have left the control socket. */
    private long parsed;
    private boolean isInMessage;
    /** The control socket broke within the message behind {@code parsed}: its header comes again. */
    private boolean isResuming;
    /** Bytes of the message behind {@code parsed} that are in place. */
    private long filled;
    /** The last read took less than it could have: another one at once would be in vain. */
    private boolean isDrained;
    private long acknowledged;
    private long total;

    SocketRecvComm(SocketCommFactory factory, SocketChannel[] channels, SocketSession session) {
        super(factory, channels, session);
        this.staging = ByteBuffer.allocateDirect(STAGING_BYTES + SocketFrame.HEADER_BYTES).limit(0);
        this.stagingMemory = MemorySegment.ofBuffer(staging.duplicate().clear());
        this.checksum = session.terms().isChecked() ? new SocketChecksum() : null;
        this.rank = factory.settings().rank();
    }

    @Override
    SocketRepair repair(int index, SocketCommFactory factory) {
        return new SocketReturn(index, session, factory.settings().safety().resumeNs());
    }

    @Override
    SocketStream stream(int index, SocketWire wire, SocketCommFactory factory) {
        return new SocketRecvStream(index, wire, messages,
                repair == null ? null : new SocketReturn(index, session, factory.settings().safety().resumeNs()));
    }

    /** Keeper's thread: hands over a socket that was dialled again. */
    void offer(Guest guest) {
        int index = guest.hello().index();
        if (!guest.hello().terms().equals(session.terms()) || index < 0 || index > streams.length) {
            guest.turnAway("it is socket " + index + " of a connection with other terms");
            return;
        }
        ((SocketReturn) (index == streams.length ? repair : streams[index].repair)).offer(guest);
        nudge();
    }

    @Override
    public NetMemory regMr(MemorySegment buffer) {
        if (buffer.isReadOnly()) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, "read-only memory cannot receive");
        }
        return super.regMr(buffer);
    }

    @Override
    public long irecv(int n, NetMemory[] memories, long[] offsets, long[] sizes, int[] tags) {
        enter();
        try {
            return n == 1 ? post(memories[0], offsets[0], sizes[0], tags[0])
                    : refuse("an irecv of " + n + " messages on the connection with " + session.peer()
                            + ": sockets take 1");
        } finally {
            leave();
        }
    }

    @Override
    public long iflush(int n, NetMemory[] memories, long[] offsets, long[] sizes) {
        return 0;
    }

    @Override
    public int stamp(long request, int index) {
        return messages.stamps[SocketMessages.place(request)];
    }

    @Override
    void progress(long request, boolean isAsked) throws IOException {
        isDrained = false;
        // Headers are read ahead of what is asked for only where data sockets can do something with them.
        long upTo = streams.length == 0 ? request : posted;
        boolean isMoving = true;
        while (isMoving && complete < request && !result().isError()) {
            pull(upTo);
            isMoving = driveStreams();
            settle();
        }
        if (repair != null && complete > acknowledged) {
            acknowledge(complete < request || complete == posted || complete - acknowledged >= ACK_INTERVAL);
        }
    }

    @Override
    int controlOps() {
        return parsed < posted ? SelectionKey.OP_READ : 0;
    }

    @Override
    long controlDone() {
        return parsed;
    }

    @Override
    long controlTotal() {
        return total;
    }

    /** With less than a header it needs more; and what is no message waits for those ahead of it. */
    @Override
    boolean hasBytes() {
        return parsed < posted && complete == parsed && staging.remaining() >= SocketFrame.HEADER_BYTES;
    }

    @Override
    boolean isPeerInDebt() {
        return isInMessage || complete < parsed;
    }

    @Override
    boolean isIntact(long message) {
        int place = SocketMessages.place(message);
        if (checksum == null) {
            return true;
        }
        int sum = checksum.of(messages.memories[place], messages.offsets[place], messages.sizes[place]);
        if (sum == messages.sums[place]) {
            return true;
        }
        fail(ProxyResult.REMOTE_ERROR, "message " + message + " of " + messages.sizes[place] + " bytes from "
                + session.peer() + " to rank " + rank + " was corrupted on its way: its CRC32C is "
                + Integer.toHexString(sum) + ", and was sent as " + Integer.toHexString(messages.sums[place]));
        return false;
    }

    @Override
    boolean isOffered() {
        boolean isOffered = ((SocketReturn) repair).isOffered();
        for (SocketStream stream : streams) {
            isOffered |= ((SocketReturn) stream.repair).isOffered();
        }
        return isOffered;
    }

    @Override
    void attend() throws IOException {
        if (((SocketReturn) repair).isOffered()) {
            isRestored();
        }
        if (isOffered()) {
            helpers().wake();
        }
        driveStreams();
        if (complete > acknowledged) {
            acknowledge(true);
        }
    }

    @Override
    boolean isRestored() throws IOException {
        cursor.set(parsed + 1, isInMessage || isResuming ? filled : 0);
        if (!repair.advance(control, cursor, complete)) {
            return false;
        }
        isResuming |= isInMessage;
        isInMessage = false;
        isDrained = false;
        acknowledged = complete;
        staging.clear().limit(0);
        return true;
    }

    @Override
    void sayGoodbye() throws IOException {
        if (!repair.isDue()) {
            control.write(ack.clear().putLong(complete).putLong(SocketFrame.GOODBYE_ACK).flip());
        }
    }

    @Override
    void readLeftovers() {
        // What was sent before the socket broke, and did not get here, comes again.
    }

    /** Reads the control socket until {@code upTo} messages have left it, or it is empty, or broke. */
    private void pull(long upTo) throws IOException {
        if (!isUp()) {
            return;
        }
        try {
            parse(upTo);
        } catch (EOFException e) {
            // Those ahead of it may still be under way on data sockets, and the end will be found again.
            if (repair != null || complete == parsed) {
                interrupted(e);
            }
        } catch (IOException e) {
            interrupted(e);
        }
    }

    private void acknowledge(boolean isWorthIt) throws IOException {
        if (!isWorthIt || repair.isDue()) {
            return;
        }
        try {
            control.write(ack.clear().putLong(complete).flip());
            acknowledged = complete;
            if (ack.hasRemaining()) {
                throw new IOException("it takes no acknowledgement");
            }
        } catch (IOException e) {
            interrupted(e);
        }
    }

    private void parse(long upTo) throws IOException {
        while (parsed < upTo) {
            if (!isInMessage && !begin()) {
                return;
            }
            if (isInMessage) {
                unstage();
                if (!isFilled() && !readRest()) {
                    return;
                }
                finishIfFilled();
            }
        }
    }

    private void finishIfFilled() {
        if (isFilled()) {
            isInMessage = false;
            messages.inline(++parsed);
        }
    }

    /** Parses the next header, if it is there. Returns false if there is nothing more to do now. */
    private boolean begin() throws IOException {
        while (staging.remaining() < SocketFrame.HEADER_BYTES) {
            if (isDrained || !readStaging()) {
                return false;
            }
        }
        int position = staging.position();
        long sizeAndFlags = staging.getLong(position);
        int sequence = staging.getInt(position + SocketFrame.SEQUENCE);
        if (!isDue(sizeAndFlags, sequence) || !isFitting(sizeAndFlags, position)) {
            return false;
        }
        int place = SocketMessages.place(parsed + 1);
        messages.sizes[place] = SocketFrame.size(sizeAndFlags);
        messages.stamps[place] = staging.getInt(position + SocketFrame.STAMP);
        messages.sums[place] = staging.getInt(position + SocketFrame.CHECKSUM);
        staging.position(position + SocketFrame.HEADER_BYTES);
        if (SocketFrame.isInline(sizeAndFlags)) {
            filled = isResuming ? filled : 0;
            isResuming = false;
            isInMessage = true;
        } else {
            stripe(++parsed);
        }
        return true;
    }

    private boolean isDue(long sizeAndFlags, int sequence) {
        if (SocketFrame.isGoodbye(sizeAndFlags, session.terms())) {
            if (complete == parsed) {
                closedByPeer();
            }
            return false;
        }
        boolean isSame = !isResuming || SocketFrame.isInline(sizeAndFlags)
                && SocketFrame.size(sizeAndFlags) == messages.sizes[SocketMessages.place(parsed + 1)];
        if (isSame && sequence == (int) (parsed + 1) && SocketFrame.isSound(sizeAndFlags, session.terms())) {
            return true;
        }
        fail(ProxyResult.REMOTE_ERROR, "connection to " + session.peer() + " brought message " + sequence + " of "
                + SocketFrame.size(sizeAndFlags) + " bytes, flags " + SocketFrame.flags(sizeAndFlags)
                + ", where message " + (parsed + 1) + " was due");
        return false;
    }

    /** A message too long fails the comm, but not before those ahead of it are complete. */
    private boolean isFitting(long sizeAndFlags, int position) {
        long bytes = SocketFrame.size(sizeAndFlags);
        int place = SocketMessages.place(parsed + 1);
        if (bytes <= messages.sizes[place]) {
            return true;
        }
        if (complete == parsed) {
            fail(ProxyResult.INVALID_USAGE, "connection to " + session.peer() + " brought a message of " + bytes
                    + " bytes with tag " + staging.getInt(position + SocketFrame.TAG)
                    + ", but the receive posted for it has " + messages.sizes[place] + " bytes and tag "
                    + messages.tags[place]);
        }
        return false;
    }

    private boolean isFilled() {
        return filled == messages.sizes[SocketMessages.place(parsed + 1)];
    }

    private void unstage() {
        int place = SocketMessages.place(parsed + 1);
        long bytes = Math.min(staging.remaining(), messages.sizes[place] - filled);
        if (bytes > 0) {
            int position = staging.position();
            MemorySegment.copy(stagingMemory, position, messages.memories[place].segment(),
                    messages.offsets[place] + filled, bytes);
            staging.position(position + (int) bytes);
            filled += bytes;
        }
    }

    private boolean readStaging() throws IOException {
        staging.compact();
        try {
            return isUsable(control.readAhead(staging, stagingMemory), staging.remaining());
        } finally {
            staging.flip();
        }
    }

    private boolean readRest() throws IOException {
        if (isDrained) {
            return false;
        }
        int place = SocketMessages.place(parsed + 1);
        ByteBuffer view = messages.memories[place].view(0, messages.offsets[place] + filled,
                Math.min(messages.sizes[place] - filled, SocketStream.CALL_BYTES));
        int bytes = control.read(view);
        filled += bytes;
        return isUsable(bytes, view.remaining());
    }

    private boolean isUsable(int bytes, int room) {
        total += bytes;
        isDrained = room > 0;
        return bytes > 0;
    }
}

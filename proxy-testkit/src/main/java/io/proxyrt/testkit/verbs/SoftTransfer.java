/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.testkit.verbs;

import io.proxyrt.core.verbs.ProtectionDomain;
import io.proxyrt.core.verbs.SendRequest;
import io.proxyrt.core.verbs.WorkCompletion;

/** The way of one send from its queue pair to the peer's: who has to permit it, and the bytes. */
final class SoftTransfer {
    /** The peer does not answer, for now. */
    static final int NO_ANSWER = -1;
    /** The peer has no receive posted, for now. */
    static final int NO_RECEIVE = -2;

    private static final int LOCAL_LENGTH_ERROR = 1;
    private static final int LOCAL_OPERATION_ERROR = 2;
    private static final int REMOTE_INVALID_REQUEST = 9;
    private static final int MTU_BYTES = 128;

    private SoftTransfer() {
    }

    /**
     * Tries to do the first send that is not done.
     *
     * @return its status, or {@link #NO_ANSWER} or {@link #NO_RECEIVE}, and then nothing was done
     */
    static int carry(SoftQueuePair from) {
        SoftSends sends = from.sends();
        int slot = sends.slot();
        int status = localStatus(from, sends, slot);
        if (status != WorkCompletion.SUCCESS) {
            return status;
        }
        SoftQueuePair to = from.peer();
        if (to == null) {
            return NO_ANSWER;
        }
        status = remoteStatus(from, to, sends, slot);
        if (status != WorkCompletion.SUCCESS) {
            refuse(from, to);
            return status;
        }
        boolean hasImmediate = sends.opcode(slot) == SendRequest.RDMA_WRITE_WITH_IMM;
        if (hasImmediate && to.receives().isEmpty()) {
            return NO_RECEIVE;
        }
        move(sends, slot);
        if (hasImmediate) {
            to.received((int) sends.bytes(slot), sends.immediate(slot));
        }
        return WorkCompletion.SUCCESS;
    }

    /** Both ends fail; the sender's own does with its completion. */
    private static void refuse(SoftQueuePair from, SoftQueuePair to) {
        if (from != to) {
            to.refused();
        }
    }

    private static int localStatus(SoftQueuePair from, SoftSends sends, int slot) {
        int wanted = sends.opcode(slot) == SendRequest.RDMA_READ ? ProtectionDomain.LOCAL_WRITE : 0;
        for (int i = 0; i < sends.sgeCount(slot) && !sends.isInline(slot); i++) {
            SoftRegion region = from.device().local(sends.lkey(slot, i));
            long bytes = sends.length(slot, i);
            if (bytes > 0 && (region == null
                    || !region.permits(from.domain(), wanted, sends.address(slot, i), bytes))) {
                return WorkCompletion.LOCAL_PROTECTION_ERROR;
            }
        }
        if (sends.opcode(slot) == SendRequest.RDMA_READ && !from.mayRead()) {
            return LOCAL_OPERATION_ERROR;
        }
        return sends.bytes(slot) > from.maxMessageBytes() ? LOCAL_LENGTH_ERROR : WorkCompletion.SUCCESS;
    }

    private static int remoteStatus(SoftQueuePair from, SoftQueuePair to, SoftSends sends, int slot) {
        long bytes = sends.bytes(slot);
        if (from.mtu() != to.mtu() && bytes > (long) MTU_BYTES << Math.min(from.mtu(), to.mtu())) {
            return REMOTE_INVALID_REQUEST;
        }
        if (sends.opcode(slot) == SendRequest.RDMA_READ && !to.answersReads()) {
            return REMOTE_INVALID_REQUEST;
        }
        int wanted = sends.opcode(slot) == SendRequest.RDMA_READ ? ProtectionDomain.REMOTE_READ
                : ProtectionDomain.REMOTE_WRITE;
        if (!to.permits(wanted)) {
            return WorkCompletion.REMOTE_ACCESS_ERROR;
        }
        SoftRegion region = to.device().remote(sends.rkey(slot));
        boolean isPermitted = bytes == 0
                || region != null && region.permits(to.domain(), wanted, sends.remoteAddress(slot), bytes);
        return isPermitted ? WorkCompletion.SUCCESS : WorkCompletion.REMOTE_ACCESS_ERROR;
    }

    private static void move(SoftSends sends, int slot) {
        boolean isRead = sends.opcode(slot) == SendRequest.RDMA_READ;
        long remote = sends.remoteAddress(slot);
        for (int i = 0; i < sends.sgeCount(slot); i++) {
            long local = sends.address(slot, i);
            long bytes = sends.length(slot, i);
            SoftMemory.copy(isRead ? remote : local, isRead ? local : remote, bytes);
            remote += bytes;
        }
    }
}

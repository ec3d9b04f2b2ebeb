/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.progress;

import io.proxyrt.core.op.ProxyOp;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * The groups under way, in RCCL's shape: a list of heads, and behind each head the groups that wait for it. Ops of one
 * dedicated connection so run in the order in which they were posted. Confined to the progress thread.
 */
final class ActiveList {
    private final ArgsPool pool = new ArgsPool();
    private ProxyArgs head;
    private ProxyArgs tail;
    private int groups;

    ProxyArgs head() {
        return head;
    }

    int groups() {
        return groups;
    }

    /**
     * Puts an op where it belongs: into the last group of its queue, behind it, or at the end of the list. A group has
     * no two ops of one connection, for those run one after the other.
     *
     * @return null, or why the op cannot be appended; then nothing has changed
     */
    String append(ProxyConnection connection, ProxyOp op, long deadlineNs) {
        AppendQueue queue = connection.appendQueue();
        ProxyArgs last = queue.tail;
        assert last == null || last.nextPeer == null && last.appendQueue == queue : last;
        if (last != null && connection.isShared() && last.opCount == op.opCount() && !last.uses(connection)) {
            return grow(last, connection, op, deadlineNs);
        }
        String refusal = op.fault();
        if (refusal != null) {
            return refusal;
        }
        ProxyArgs args = start(connection, op, deadlineNs);
        if (last != null) {
            last.nextPeer = args;
        } else {
            link(args);
        }
        queue.tail = args;
        groups++;
        assert isLinked();
        return null;
    }

    /**
     * Takes a group out. Its successor takes its place, and is not to be advanced in the same pass.
     *
     * @param previous the group before it in the list; null if it is the first
     * @return the group to go on after: the successor, or previous
     */
    ProxyArgs remove(ProxyArgs args, ProxyArgs previous) {
        assert previous == null ? head == args : previous.next == args : args;
        ProxyArgs successor = args.nextPeer;
        assert (successor == null) == (args.appendQueue.tail == args) : args;
        if (successor != null) {
            successor.next = args.next;
        } else {
            args.appendQueue.tail = null;
        }
        ProxyArgs replacement = successor != null ? successor : args.next;
        if (previous == null) {
            head = replacement;
        } else {
            previous.next = replacement;
        }
        if (tail == args) {
            tail = successor != null ? successor : previous;
        }
        groups--;
        assert isLinked();
        pool.give(args);
        return successor != null ? successor : previous;
    }

    /**
     * Takes out groups wherever they stand, heads or behind one.
     *
     * @param onRemove gets each before it goes
     * @return how many ops they had
     */
    int removeIf(Predicate<ProxyArgs> which, Consumer<ProxyArgs> onRemove) {
        int ops = 0;
        ProxyArgs previous = null;
        for (ProxyArgs args = head; args != null; args = previous == null ? head : previous.next) {
            ops += removeBehind(args, which, onRemove);
            if (which.test(args)) {
                ops += args.nsubs();
                onRemove.accept(args);
                previous = remove(args, previous);
            } else {
                previous = args;
            }
        }
        assert isWhole() : describe();
        return ops;
    }

    /** How many ops are active for which something holds. */
    int subs(Predicate<ProxySubArgs> which) {
        int count = 0;
        for (ProxyArgs args = head; args != null; args = args.next) {
            for (ProxyArgs group = args; group != null; group = group.nextPeer) {
                for (int i = 0; i < group.nsubs(); i++) {
                    count += which.test(group.sub(i)) ? 1 : 0;
                }
            }
        }
        return count;
    }

    /** The earliest deadline of all groups. */
    long nextDeadlineNs() {
        long next = Long.MAX_VALUE;
        for (ProxyArgs args = head; args != null; args = args.next) {
            for (ProxyArgs group = args; group != null; group = group.nextPeer) {
                next = Math.min(next, group.deadlineNs);
            }
        }
        return next;
    }

    /** A line for each group. */
    List<String> describe() {
        List<String> lines = new ArrayList<>();
        for (ProxyArgs args = head; args != null; args = args.next) {
            lines.add(args.toString());
            for (ProxyArgs waiting = args.nextPeer; waiting != null; waiting = waiting.nextPeer) {
                lines.add("  behind it: " + waiting);
            }
        }
        return lines;
    }

    private int removeBehind(ProxyArgs first, Predicate<ProxyArgs> which, Consumer<ProxyArgs> onRemove) {
        int ops = 0;
        for (ProxyArgs before = first; before.nextPeer != null; ) {
            ProxyArgs args = before.nextPeer;
            if (which.test(args)) {
                ops += args.nsubs();
                onRemove.accept(args);
                before.nextPeer = args.nextPeer;
                if (args.appendQueue.tail == args) {
                    args.appendQueue.tail = before;
                }
                groups--;
                pool.give(args);
            } else {
                before = args;
            }
        }
        return ops;
    }

    private static String grow(ProxyArgs args, ProxyConnection connection, ProxyOp op, long deadlineNs) {
        if (args.nsubs() == ProxyArgs.MAX_SUBS) {
            return "its group is full with " + ProxyArgs.MAX_SUBS + " subs";
        }
        if (args.state != ProxyArgs.State.READY) {
            return "its group is already running";
        }
        if (args.sliceSteps != op.sliceSteps() || args.chunkSteps != op.chunkSteps() || args.protocol != op.protocol()
                || args.dtype != op.dtype() || args.redOp != op.redOp() || args.coll != op.coll()) {
            return "it does not match its group in sliceSteps, chunkSteps, protocol, dtype, redOp or coll";
        }
        String refusal = op.fault();
        if (refusal == null) {
            args.deadlineNs = Math.min(args.deadlineNs, deadlineNs);
            fill(args.addSub(), connection, op);
        }
        return refusal;
    }

    private ProxyArgs start(ProxyConnection connection, ProxyOp op, long deadlineNs) {
        ProxyArgs args = pool.take();
        args.progress = connection.progress();
        args.appendQueue = connection.appendQueue();
        args.opCount = op.opCount();
        args.sliceSteps = op.sliceSteps();
        args.chunkSteps = op.chunkSteps();
        args.protocol = op.protocol();
        args.dtype = op.dtype();
        args.redOp = op.redOp();
        args.coll = op.coll();
        args.state = ProxyArgs.State.READY;
        args.deadlineNs = deadlineNs;
        fill(args.addSub(), connection, op);
        return args;
    }

    private static void fill(ProxySubArgs sub, ProxyConnection connection, ProxyOp op) {
        assert sub.recorded == null : sub;
        sub.connection = connection;
        sub.ticket = op.ticket();
        sub.reg = op.reg() != 0;
        sub.channelId = op.channelId();
        sub.peer = op.peer();
        sub.nsteps = op.nsteps();
        sub.nbytes = op.nbytes();
        sub.chunkSize = op.chunkSize();
        sub.loopSize = op.loopSize();
        assert sub.nsteps > 0 && sub.sendRegistration == null && sub.recvRegistration == null : sub;
        sub.sendMhandle = op.sendMhandle();
        sub.recvMhandle = op.recvMhandle();
        sub.sendbuff = op.sendbuff();
        sub.recvbuff = op.recvbuff();
        sub.base = 0;
        sub.posted = 0;
        sub.received = 0;
        sub.transmitted = 0;
        sub.done = 0;
        sub.bytes = 0;
        sub.recordedMoves = 0;
    }

    /** Whether both ends of the list and its count agree. */
    private boolean isLinked() {
        return (head == null) == (tail == null) && (head == null) == (groups == 0)
                && (tail == null || tail.next == null);
    }

    /** Whether each group is in its queue, each queue ends with its tail, and there are as many groups as it says. */
    private boolean isWhole() {
        int count = 0;
        ProxyArgs last = null;
        for (ProxyArgs args = head; args != null; args = args.next) {
            last = args;
            for (ProxyArgs group = args; group != null; group = group.nextPeer) {
                count++;
                if (group.appendQueue != args.appendQueue
                        || (group.nextPeer == null) != (args.appendQueue.tail == group)) {
                    return false;
                }
            }
        }
        return last == tail && count == groups;
    }

    private void link(ProxyArgs args) {
        if (tail == null) {
            head = args;
        } else {
            tail.next = args;
        }
        tail = args;
    }
}

/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.collnet;

import io.proxyrt.core.CollFunction;
import io.proxyrt.core.DataType;
import io.proxyrt.core.Protocol;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.RedOp;
import io.proxyrt.core.device.DeviceConnection;
import io.proxyrt.core.progress.CollNetSupport;
import io.proxyrt.core.progress.ProxyArgs;
import io.proxyrt.core.progress.ProxyArgs.State;
import io.proxyrt.core.progress.ProxyConnection;
import io.proxyrt.core.progress.ProxySubArgs;
import io.proxyrt.transport.collnet.spi.CollNetComm;

/**
 * One direction of a collective at a head: where the steps of all its channels lie, and which part of the collective
 * they are. Progress thread.
 *
 * <p>Step s of sub i, of n subs, is chunk s · n + i. Of an all-reduce the kernels decide how much is in it. Of an
 * all-gather or a reduce-scatter it is that part of the chunk which lies within the data of its side: all parts, or
 * this head's alone.
 *
 * <p>RCCL finds the place of a step's data by the step within the op, and so does this: an op begins when the one
 * before it has left all slots of its half.
 */
final class CollNetOp {
    private static final CollFunction[] FUNCTIONS = CollFunction.values();
    private static final DataType[] TYPES = DataType.values();
    private static final RedOp[] OPS = RedOp.values();
    private static final long CHUNK_UNIT = 16;

    CollNetShared shared;
    CollNetComm comm;
    CollFunction function;
    DataType type;
    RedOp op;
    boolean isReg;
    int nsubs;
    int groups;
    int nsteps;
    /** Bytes of a chunk. */
    long chunk;
    /** Bytes of all participants' parts, or of an all-reduce. */
    long all;
    /** Bytes of one participant's part; 0 for an all-reduce. */
    long part;
    /** Same for both directions of a collective. */
    long signature;
    /** Of registered memory. */
    final RegisteredCalls calls = new RegisteredCalls();

    private long partBegin;

    /** Of an op that has begun. */
    static CollNetOp of(ProxyArgs args) {
        return CollNetSub.of(args.sub(0)).op();
    }

    /** Begins an op that is new; returns 0, or a negated error if it cannot begin or go on. */
    static int begin(ProxyArgs args) {
        ProxySubArgs first = args.sub(0);
        CollNetShared shared = resources(first).shared();
        if (shared.fault() != null) {
            return args.fail(shared.faultResult(), first.connection + ": " + shared.fault());
        }
        int lost = requirePartners(args, shared);
        if (lost < 0 || args.state != State.READY) {
            return lost;
        }
        for (int i = 0; i < args.nsubs(); i++) {
            CollNetSub.begin(args.sub(i));
        }
        if (!shared.begin(first.connection.direction())) {
            return fail(args, first, ProxyResult.INVALID_USAGE, "an op before op " + args.opCount()
                    + " was given up, so the participants' calls are not the same any more; connect again");
        }
        String refusal = of(args).begin(args, shared);
        if (refusal != null) {
            return fail(args, first, ProxyResult.INVALID_ARGUMENT, refusal);
        }
        for (int i = 0; i < args.nsubs(); i++) {
            CollNetSub.of(args.sub(i)).place(args.sub(i));
        }
        args.state = State.PROGRESS;
        return 0;
    }

    /** What was given up in one direction ends the other one, too: neither gets a turn any more. */
    private static int requirePartners(ProxyArgs args, CollNetShared shared) {
        for (int i = 0; i < args.nsubs(); i++) {
            ProxySubArgs sub = args.sub(i);
            ProxyConnection partner = shared.partner(sub.connection.direction(), resources(sub).channelId);
            ProxyException cause = partner == null ? null : partner.failure();
            if (cause != null) {
                return fail(args, sub, cause.result(), partner + " failed: " + cause.getMessage());
            }
        }
        return 0;
    }

    private static CollNetResources resources(ProxySubArgs sub) {
        return (CollNetResources) sub.connection.resources();
    }

    private String begin(ProxyArgs args, CollNetShared head) {
        ProxySubArgs first = args.sub(0);
        shared = head;
        comm = head.comm();
        isReg = first.reg;
        nsubs = args.nsubs();
        groups = (nsubs + CollNetSupport.GROUP_CHANNELS - 1) / CollNetSupport.GROUP_CHANNELS;
        nsteps = first.nsteps;
        chunk = first.chunkSize;
        all = first.nbytes;
        part = first.loopSize;
        partBegin = head.rank() * part;
        String fault = fault(args);
        if (fault == null) {
            fault = chunkFault();
        }
        if (fault == null) {
            fault = isReg ? calls.begin(this, first) : stepFault();
        }
        for (int i = 0; i < groups && fault == null; i++) {
            group(args, i).begin(i, nsubs);
        }
        return fault;
    }

    private String fault(ProxyArgs args) {
        if (args.protocol() != Protocol.SIMPLE.ordinal() || args.sliceSteps() != 1 || args.chunkSteps() != 1) {
            return "networks combine steps of Simple, one in a chunk, not protocol " + args.protocol() + " with "
                    + args.sliceSteps() + " in a slice and " + args.chunkSteps() + " in a chunk";
        }
        if (args.coll() < 0 || args.coll() >= FUNCTIONS.length || args.dtype() < 0 || args.dtype() >= TYPES.length
                || args.redOp() < 0 || args.redOp() >= OPS.length) {
            return "no collective has function " + args.coll() + ", type " + args.dtype() + ", reduction "
                    + args.redOp();
        }
        function = FUNCTIONS[args.coll()];
        type = TYPES[args.dtype()];
        op = OPS[args.redOp()];
        String fault = partFault();
        return fault == null ? positionFault(args) : fault;
    }

    private String partFault() {
        boolean hasParts = switch (function) {
            case ALL_GATHER, REDUCE_SCATTER -> part > 0 && all % part == 0 && all / part == shared.heads()
                    && part % type.sizeBytes() == 0;
            case ALL_REDUCE -> part == 0 && all >= 0 && all % type.sizeBytes() == 0;
            default -> false;
        };
        return hasParts ? null : "networks do not carry out " + function + " of " + type.label() + " with " + all
                + " bytes, parts of " + part + " and " + shared.heads() + " participants";
    }

    /** Groups are subs that stand side by side, so all heads have to have them in the same order. */
    private String positionFault(ProxyArgs args) {
        signature = 31L * (31L * (31L * args.coll() + args.dtype()) + (isReg ? 1 : 0)) + part;
        int before = -1;
        for (int i = 0; i < nsubs; i++) {
            ProxySubArgs sub = args.sub(i);
            int channel = CollNetSub.of(sub).resources.channelId;
            if (channel <= before) {
                return "the channels of op " + args.opCount() + " come in the order " + channels(args)
                        + "; heads have to append them in ascending order";
            }
            if (sub.nsteps != nsteps || sub.chunkSize != chunk || sub.nbytes != all || sub.loopSize != part
                    || sub.reg != isReg) {
                return "channels " + channels(args) + " of op " + args.opCount() + " do not belong together: channel "
                        + channel + " has " + sub.nsteps + " steps in chunks of " + sub.chunkSize + " of " + sub.nbytes
                        + " bytes, the first one " + nsteps + " in chunks of " + chunk + " of " + all;
            }
            before = channel;
            signature = 31L * signature + channel;
        }
        signature = 31L * (31L * signature + nsteps) + chunk;
        return null;
    }

    /** For people. */
    static String channels(ProxyArgs args) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < args.nsubs(); i++) {
            text.append(i == 0 ? "" : ", ").append(CollNetSub.of(args.sub(i)).resources.channelId);
        }
        return text.toString();
    }

    private String chunkFault() {
        boolean isSound = chunk > 0 && chunk % CHUNK_UNIT == 0 && (isReg || chunk <= shared.slotBytes);
        return isSound ? null : "a chunk of " + chunk + " bytes is no multiple of " + CHUNK_UNIT
                + (isReg ? "" : " up to the slot's " + shared.slotBytes);
    }

    private String stepFault() {
        long most = Long.MAX_VALUE / chunk / nsubs;
        return nsteps > most || part > 0 && (long) nsteps * nsubs * chunk < all
                ? nsteps + " steps of " + nsubs + " chunks of " + chunk + " bytes do not make up " + all : null;
    }

    CollNetGroup group(ProxyArgs args, int index) {
        return CollNetSub.of(args.sub(index * CollNetSupport.GROUP_CHANNELS)).group();
    }

    /** Where a sub's step lies in the shared buffer. */
    long offset(boolean isRecv, long step, int sub) {
        int slots = (isRecv ? DeviceConnection.STEPS : 0) + slot(step);
        long region = slots * shared.channels * shared.slotBytes;
        if (part == 0) {
            return region + sub * chunk;
        }
        int first = sub / CollNetSupport.GROUP_CHANNELS * CollNetSupport.GROUP_CHANNELS;
        return region + first * shared.slotBytes + place(isRecv, step, sub) - place(isRecv, step, first);
    }

    /** Bytes of some subs' step, of a collective that has parts. */
    long length(boolean isRecv, long step, int first, int end) {
        return place(isRecv, step, end) - place(isRecv, step, first);
    }

    /** Where a sub's step begins in all participants' parts, or the nearest place that is on its side. */
    long place(boolean isRecv, long step, int sub) {
        long chunks = (step * nsubs + sub) * chunk;
        boolean isAll = isRecv == (function == CollFunction.ALL_GATHER);
        return isAll ? Math.min(chunks, all) : Math.clamp(chunks, partBegin, partBegin + part);
    }

    static int slot(long step) {
        return (int) (step % DeviceConnection.STEPS);
    }

    /** Whether all counters stand as a pass must leave them. */
    static boolean isOrdered(ProxyArgs args) {
        int finished = 0;
        for (int i = 0; i < args.nsubs(); i++) {
            ProxySubArgs sub = args.sub(i);
            finished += sub.isDone() ? 1 : 0;
            if (!sub.isRecvOrdered()) {
                return false;
            }
        }
        return finished == args.done;
    }

    static void finishIfDone(ProxyArgs args) {
        if (args.done == args.nsubs()) {
            args.state = State.NONE;
            of(args).shared.end(args.sub(0).connection.direction());
        }
    }

    /** Ends all ops of the head: the participants' calls are not the same any more. */
    static int fail(ProxyArgs args, ProxySubArgs sub, ProxyResult result, String reason) {
        CollNetResources resources = resources(sub);
        String why = sub.connection + ", head " + resources.shared().head() + ", channel " + resources.channelId
                + ", step " + (sub.base + sub.done) + ": " + reason;
        resources.shared().fail(result, why);
        return args.fail(result, why);
    }

    /** The same, if the comm said no. */
    int fail(ProxyArgs args, ProxySubArgs sub, long code) {
        return fail(args, sub, ProxyResult.of((int) -code), comm.failure());
    }
}

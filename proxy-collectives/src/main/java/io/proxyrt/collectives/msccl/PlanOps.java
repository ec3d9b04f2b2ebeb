/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives.msccl;

import io.proxyrt.collectives.msccl.PlanReader.Remote;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Reads the ops of a rank's thread blocks. */
final class PlanOps {
    static final String PORT = "port";
    /** Of a thread block, and of a pipeline. */
    static final int MAX_OPS = 512;
    /** Buffers, channels or semaphores of an op. */
    private static final int MAX_OF_OP = 64;
    private static final int MAX_BARRIER = 255;
    private static final Map<String, Plan.Kind> KINDS = Stream.of(Plan.Kind.values()).collect(Collectors.toMap(
            kind -> kind.name().toLowerCase(Locale.ROOT), Function.identity()));
    /** Of memory that other ranks map, or of a switch. */
    private static final Set<String> ELSEWHERE = Set.of("get", "res", "rre", "rres", "respkt", "recspkt", "glres",
            "gstore", "gstorepkt");

    private final int rank;
    private final RankProgram[] rooms;
    private final int parts;
    private final List<Plan.Port> ports;
    private final List<Remote> remotes;
    private final int semaphores;
    /** Of the thread block that is read. */
    private List<Plan.Port> own;
    private List<Remote> ownRemotes;

    /** Of a rank with ports to others, and their buffers. */
    PlanOps(int rank, RankProgram[] rooms, int parts, List<Plan.Port> ports, List<Remote> remotes, int semaphores) {
        this.rank = rank;
        this.rooms = rooms;
        this.parts = parts;
        this.ports = ports;
        this.remotes = remotes;
        this.semaphores = semaphores;
    }

    /** A thread block, whose ops name its own channels and buffers by their places in its lists. */
    Plan.Block block(PlanValue block) {
        own = listed(block, "channels", "channel_type", "channel_ids", ports);
        ownRemotes = listed(block, "remote_buffer_refs", "access_channel_type", "remote_buffer_ids", remotes);
        List<Plan.Op> ops = new ArrayList<>();
        for (PlanValue op : block.items("ops", MAX_OPS)) {
            if (op.text("name").equals("pipeline")) {
                pipeline(op, ops);
            } else {
                ops.add(op(op));
            }
        }
        return new Plan.Block(block.place(), ops);
    }

    private static <T> List<T> listed(PlanValue block, String lists, String type, String ids, List<T> all) {
        List<T> listed = new ArrayList<>();
        for (PlanValue list : block.itemsIfAny(lists, MAX_OF_OP)) {
            if (list.text(type).equals(PORT)) {
                for (PlanValue id : list.items(ids, MAX_OPS)) {
                    listed.add(element(id, all, "of its rank's"));
                }
            }
        }
        return listed;
    }

    private static <T> T element(PlanValue id, List<T> of, String whose) {
        if (of.isEmpty()) {
            throw id.refused("names one " + whose + " by port, and there are none");
        }
        return of.get(id.number(0, of.size() - 1));
    }

    /** MSCCL++ does its ops with one piece of the chunks after the other, as kernels here do all ops. */
    private void pipeline(PlanValue pipeline, List<Plan.Op> ops) {
        PlanValue context = pipeline.needed("iter_context");
        context.number("unit_size", 1, Integer.MAX_VALUE);
        context.number("num_chunks", 1, AlgorithmXml.MAX_CHUNKS);
        for (PlanValue op : pipeline.items("ops", MAX_OPS)) {
            ops.add(op(op));
        }
    }

    private Plan.Op op(PlanValue op) {
        String name = op.text("name");
        Plan.Kind kind = switch (name) {
            case "rlxsignal" -> Plan.Kind.SIGNAL;
            case "rlxwait" -> Plan.Kind.WAIT;
            default -> KINDS.get(name);
        };
        if (ELSEWHERE.contains(name)) {
            throw PlanReader.leftOut(op, "is " + name + ", for which a rank has to reach others' memory; kernels of "
                    + "the host go by port channels");
        }
        if (kind == null) {
            throw op.needed("name").wrong("an op of MSCCL++");
        }
        if (kind.usesPorts() && !op.text("channel_type").equals(PORT)) {
            throw PlanReader.leftOut(op, "is " + name + " over a channel of type " + op.text("channel_type")
                    + "; kernels of the host go by port channels");
        }
        Plan.Op read = new Plan.Op(op.place(), kind, sources(op), targets(op, kind), kind.usesPorts() ? ports(op)
                : List.of(), ids(op, kind));
        requireShape(op, read);
        return read;
    }

    private List<Plan.Port> ports(PlanValue op) {
        return op.items("channel_ids", MAX_OF_OP).stream().map(id -> element(id, own, "of its thread block's channels"))
                .toList();
    }

    private List<Integer> ids(PlanValue op, Plan.Kind kind) {
        return switch (kind) {
            case BARRIER -> List.of(op.number("barrier_id", 0, MAX_BARRIER),
                    op.number("num_threadblocks", 1, MAX_OPS));
            case SEM_ACQUIRE, SEM_RELEASE -> op.items("semaphore_ids", MAX_OF_OP).stream()
                    .map(id -> id.number(0, semaphores - 1)).toList();
            default -> List.of();
        };
    }

    private List<Plan.Chunks> sources(PlanValue op) {
        return op.itemsIfAny("src_buff", MAX_OF_OP).stream().map(buffer -> chunks(op, buffer, rank, room(buffer)))
                .toList();
    }

    /** Of a put, in the memory of the peer at the other end of its channel. */
    private List<Plan.Chunks> targets(PlanValue op, Plan.Kind kind) {
        List<PlanValue> buffers = op.itemsIfAny("dst_buff", MAX_OF_OP);
        if (!kind.isPut()) {
            return buffers.stream().map(buffer -> chunks(op, buffer, rank, room(buffer))).toList();
        }
        List<Plan.Port> to = ports(op);
        if (buffers.size() != to.size()) {
            throw op.refused("has " + buffers.size() + " dst_buff and " + to.size() + " channel_ids; one for each is "
                    + "wanted");
        }
        List<Plan.Chunks> targets = new ArrayList<>();
        for (int i = 0; i < to.size(); i++) {
            PlanValue id = buffers.get(i).needed("buffer_id");
            Remote remote = element(id, ownRemotes, "of its thread block's remote buffers");
            if (remote.rank() != to.get(i).peer() || !remote.isByPort()) {
                throw id.refused("is a buffer of rank " + remote.rank() + (remote.isByPort() ? "" : ", by no port")
                        + "; the channel goes to rank " + to.get(i).peer());
            }
            targets.add(chunks(op, buffers.get(i), remote.rank(), remote.room()));
        }
        return targets;
    }

    static Room room(PlanValue buffer) {
        return Room.of(buffer.text("type")).orElseThrow(() -> buffer.needed("type").wrong("i, o or s"));
    }

    /** Chunks of a rank, or the part of them that this thread block of a group takes. */
    private Plan.Chunks chunks(PlanValue op, PlanValue buffer, int whose, Room room) {
        int most = rooms[whose].chunks(room) / parts;
        int size = buffer.number("size", 1, AlgorithmXml.MAX_COUNT);
        if (size > most) {
            throw buffer.needed("size").wrong("no more than the " + most + " chunks of " + room.word() + " of rank "
                    + whose);
        }
        int index = buffer.number("index", 0, most - size);
        int group = PlanGroups.size(op);
        int count = size * parts / group;
        if (count > AlgorithmXml.MAX_COUNT) {
            throw buffer.needed("size").wrong("no more than " + AlgorithmXml.MAX_COUNT + " parts of chunks, of which "
                    + "thread block groups make " + parts + " of each,");
        }
        return new Plan.Chunks(room, index * parts + PlanGroups.member(op) * count, count);
    }

    /** As many buffers as the op has, of one size. */
    private static void requireShape(PlanValue op, Plan.Op read) {
        int sources = read.sources().size();
        int targets = read.targets().size();
        boolean isWell = switch (read.kind()) {
            case PUT, PWS, PWSF, PPKT -> targets > 0 && sources == targets;
            case RPPKT -> targets > 0 && sources == 1;
            case COPY, CPKT, UPKT -> sources == 1 && targets == 1;
            case RE, REPKT -> sources > 1 && targets == 1;
            case RECPKT -> sources > 1 && targets == 2;
            default -> sources == 0 && targets == 0;
        };
        if (!isWell) {
            throw op.refused("has " + sources + " src_buff and " + targets + " dst_buff, which is not what "
                    + op.text("name") + " has");
        }
        if (Stream.concat(read.sources().stream(), read.targets().stream()).mapToInt(Plan.Chunks::count).distinct()
                .count() > 1) {
            throw op.refused("has buffers of different sizes");
        }
        requireScratch(op, read);
    }

    /** Packets are in scratch memory, wherever they are. */
    private static void requireScratch(PlanValue op, Plan.Op read) {
        Stream<Plan.Chunks> packets = switch (read.kind()) {
            case PPKT, RPPKT -> Stream.concat(read.sources().stream(), read.targets().stream());
            case UPKT -> read.sources().stream();
            case REPKT -> read.sources().stream().skip(1);
            case CPKT -> read.targets().stream();
            case RECPKT -> Stream.concat(read.sources().stream().skip(1), read.targets().stream().skip(1));
            default -> Stream.empty();
        };
        if (packets.anyMatch(chunks -> chunks.room() != Room.SCRATCH)) {
            throw op.refused("has packets in another buffer than s, the scratch memory");
        }
    }
}

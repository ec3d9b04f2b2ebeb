/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives.msccl;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Writes plans as MSCCL++'s tools do: the plans of the tests. A line has an op. */
public final class PlanText {
    private final String head;
    private final String protocol;
    private final int nRanks;
    private final int inputs;
    private final int outputs;
    private final List<List<Block>> blocks;
    /** By rank: the peer of each of its channels. */
    private final List<List<Integer>> channels;
    private final int[] semaphores;
    private int scratch;

    private PlanText(String collective, String protocol, int nRanks, int nChunks, boolean isInPlace) {
        this.head = "\"collective\": \"" + collective + "\", \"protocol\": \"" + protocol + "\", \"inplace\": "
                + isInPlace;
        this.protocol = protocol;
        this.nRanks = nRanks;
        this.inputs = collective.equals("allgather") ? nChunks / nRanks : nChunks;
        this.outputs = collective.equals("reducescatter") ? nChunks / nRanks : nChunks;
        this.blocks = IntStream.range(0, nRanks).<List<Block>>mapToObj(rank -> new ArrayList<>()).toList();
        this.channels = IntStream.range(0, nRanks).<List<Integer>>mapToObj(rank -> new ArrayList<>()).toList();
        this.semaphores = new int[nRanks];
    }

    /** A thread block, with the channels that it has. */
    private static final class Block {
        private final List<Integer> channels = new ArrayList<>();
        /** By name, as {@code 1s}: the number of the buffer in the rank's list. */
        private final List<Integer> buffers = new ArrayList<>();
        private final Map<String, Integer> ofRank;
        private final List<String> ops = new ArrayList<>();
        private String group = "";

        Block(Map<String, Integer> ofRank) {
            this.ofRank = ofRank;
        }

        /** All that follows is this one's part of what so many blocks share. */
        Block group(int member, int size) {
            group = size == 1 ? "" : ", \"tbg_info\": {\"tb_id\": " + member + ", \"tbg_size\": " + size + "}";
            return this;
        }

        Block op(String name, String... fields) {
            ops.add("{\"name\": \"" + name + "\"" + Arrays.stream(fields).map(field -> ", " + field)
                    .collect(Collectors.joining()) + group + "}");
            return this;
        }

        /** Over channels of this block. */
        Block over(String name, int... own) {
            return op(name, ids(own));
        }

        private static String ids(int... own) {
            return "\"channel_ids\": " + Arrays.toString(own) + ", \"channel_type\": \"port\"";
        }

        /** From chunks such as {@code i3} to one of a rank, such as {@code o3}. */
        Block put(String name, String from, int peer, String to, int count, int channel) {
            return op(name, "\"src_buff\": [" + buffer(from, count) + "]", "\"dst_buff\": [{\"buffer_id\": "
                    + remote(peer + to.substring(0, 1)) + ", \"index\": " + to.substring(1) + ", \"size\": " + count
                    + "}]", ids(channel));
        }

        private int remote(String name) {
            int ofAll = ofRank.computeIfAbsent(name, any -> ofRank.size());
            if (!buffers.contains(ofAll)) {
                buffers.add(ofAll);
            }
            return buffers.indexOf(ofAll);
        }

        /** Of chunks of its rank into chunks of its rank. */
        Block local(String name, int count, String to, String... from) {
            return op(name, "\"src_buff\": [" + Arrays.stream(from).map(chunk -> buffer(chunk, count))
                    .collect(Collectors.joining(", ")) + "]", "\"dst_buff\": [" + Arrays.stream(to.split(" "))
                    .map(chunk -> buffer(chunk, count)).collect(Collectors.joining(", ")) + "]");
        }

        private static String buffer(String chunk, int count) {
            return "{\"type\": \"" + chunk.charAt(0) + "\", \"index\": " + chunk.substring(1) + ", \"size\": " + count
                    + "}";
        }

        /** What was written since a number of ops were there becomes one pipeline. */
        Block pipeline(int from) {
            List<String> inner = new ArrayList<>(ops.subList(from, ops.size()));
            ops.subList(from, ops.size()).clear();
            ops.add("{\"name\": \"pipeline\", \"iter_context\": {\"unit_size\": 1048576, \"num_chunks\": 1}, \"ops\": ["
                    + String.join(", ", inner) + "]}");
            return this;
        }

        private String text(int id) {
            return "{\"id\": " + id + ", \"ops\": [\n" + String.join(",\n", ops) + "\n], \"channels\": ["
                    + "{\"channel_type\": \"port\", \"channel_ids\": " + channels + "}], \"remote_buffer_refs\": ["
                    + "{\"access_channel_type\": \"port\", \"remote_buffer_ids\": " + buffers + "}]}";
        }
    }

    private final List<Map<String, Integer>> remotes = new ArrayList<>();

    private Block block(int rank, int... peers) {
        while (remotes.size() <= rank) {
            remotes.add(new LinkedHashMap<>());
        }
        Block block = new Block(remotes.get(rank));
        for (int peer : peers) {
            block.channels.add(channels.get(rank).size());
            channels.get(rank).add(peer);
        }
        blocks.get(rank).add(block);
        return block;
    }

    private static int[] others(int n, int rank) {
        return IntStream.range(0, n).filter(peer -> peer != rank).toArray();
    }

    /** A rank's own, and what all others put into its scratch memory. */
    private static String[] addends(int n, int rank) {
        return IntStream.range(0, n).mapToObj(from -> from == rank ? "i" + rank : "s" + from).toArray(String[]::new);
    }

    private String text() {
        return "{\"name\": \"test\", " + head + ", \"reuse_resources\": false, \"gpus\": [\n"
                + IntStream.range(0, nRanks).mapToObj(this::rank).collect(Collectors.joining(",\n"))
                + "\n], \"num_threads_per_block\": 1024, \"use_double_scratch_buffer\": " + protocol.equals("LL")
                + ", \"buffer_alignment\": 16, \"min_message_size\": 0, \"max_message_size\": 18446744073709551615}\n";
    }

    private String rank(int rank) {
        List<Block> own = blocks.get(rank);
        return "{\"id\": " + rank + ", \"input_chunks\": " + inputs + ", \"output_chunks\": " + outputs
                + ", \"scratch_chunks\": " + scratch + ", \"threadblocks\": [\n" + IntStream.range(0, own.size())
                .mapToObj(id -> own.get(id).text(id)).collect(Collectors.joining(",\n"))
                + "\n], \"channels\": [{\"channel_type\": \"port\", \"connected_to\": " + channels.get(rank)
                + "}], \"remote_buffers\": [" + remotes.get(rank).keySet().stream().map(name -> "{\"rank\": "
                + name.substring(0, name.length() - 1) + ", \"type\": \"" + name.substring(name.length() - 1)
                + "\", \"access_channel_types\": [\"port\"]}").collect(Collectors.joining(", "))
                + "], \"semaphores\": ["
                + "{\"init_value\": 0}, ".repeat(semaphores[rank]).replaceFirst(", $", "") + "]}";
    }

    /** An all-gather in place: each rank puts its own to all, once they have said that they are there. */
    public static String allGather(int n) {
        PlanText plan = new PlanText("allgather", "Simple", n, 2 * n, true);
        for (int rank = 0; rank < n; rank++) {
            Block block = plan.block(rank, others(n, rank));
            int[] all = IntStream.range(0, n - 1).toArray();
            block.over("signal", all).op("nop").over("wait", all).op("nop");
            for (int i = 0; i < n - 1; i++) {
                block.put(i % 2 == 0 ? "pws" : "pwsf", "o" + 2 * rank, others(n, rank)[i], "o" + 2 * rank, 2, i);
            }
            block.over("flush", all).over("wait", all).op("nop");
        }
        return plan.text();
    }

    /** An all-reduce in place: each rank reduces a part in memory of its own, and puts it to all. */
    public static String allReduce(int n, boolean isInPlace) {
        PlanText plan = new PlanText("allreduce", "Simple", n, n, isInPlace);
        plan.scratch = n;
        String out = isInPlace ? "i" : "o";
        for (int rank = 0; rank < n; rank++) {
            Block block = plan.block(rank, others(n, rank));
            int[] all = IntStream.range(0, n - 1).toArray();
            block.over("rlxsignal", all).over("rlxwait", all);
            for (int i = 0; i < n - 1; i++) {
                block.put("put", "i" + others(n, rank)[i], others(n, rank)[i], "s" + rank, 1, i);
            }
            block.over("signal", all).over("wait", all).over("flush", all);
            block.local("re", 1, out + rank, addends(n, rank));
            for (int i = 0; i < n - 1; i++) {
                block.put("pws", out + rank, others(n, rank)[i], out + rank, 1, i);
            }
            block.over("wait", all);
        }
        return plan.text();
    }

    /** The same by several thread blocks, that share each chunk, and by those that wait for them. */
    public static String allReduceByGroups(int n) {
        PlanText plan = new PlanText("allreduce", "Simple", n, n, true);
        plan.scratch = n;
        for (int rank = 0; rank < n; rank++) {
            plan.semaphores[rank] = 1;
            for (int peer : others(n, rank)) {
                plan.block(rank, peer).over("signal", 0).over("wait", 0)
                        .put("pws", "i" + peer, peer, "s" + rank, 1, 0).over("wait", 0)
                        .op("sem_release", "\"semaphore_ids\": [0]")
                        .op("barrier", "\"barrier_id\": 1", "\"num_threadblocks\": " + (n + 2)).op("nop")
                        .put("pws", "i" + rank, peer, "i" + rank, 1, 0).over("wait", 0);
            }
            Block sum = plan.block(rank);
            for (int i = 0; i < n - 1; i++) {
                sum.op("sem_acquire", "\"semaphore_ids\": [0]");
            }
            sum.op("barrier", "\"barrier_id\": 0", "\"num_threadblocks\": 3")
                    .op("barrier", "\"barrier_id\": 1", "\"num_threadblocks\": " + (n + 2));
            for (int member = 0; member < 2; member++) {
                Block part = plan.block(rank).op("barrier", "\"barrier_id\": 0", "\"num_threadblocks\": 3")
                        .group(member, 2);
                for (int peer : others(n, rank)) {
                    part.local("re", 1, "i" + rank, "i" + rank, "s" + peer);
                }
                part.group(0, 1).pipeline(1).op("barrier", "\"barrier_id\": 1", "\"num_threadblocks\": " + (n + 2));
            }
        }
        return plan.text();
    }

    /** A reduce-scatter out of place. */
    public static String reduceScatter(int n) {
        PlanText plan = new PlanText("reducescatter", "Simple", n, n, false);
        plan.scratch = n;
        for (int rank = 0; rank < n; rank++) {
            Block block = plan.block(rank, others(n, rank));
            int[] all = IntStream.range(0, n - 1).toArray();
            for (int i = 0; i < n - 1; i++) {
                block.put("pwsf", "i" + others(n, rank)[i], others(n, rank)[i], "s" + rank, 1, i);
            }
            block.over("wait", all).local("re", 1, "o0", addends(n, rank));
        }
        return plan.text();
    }

    /** An all-to-all out of place, with as many puts before a signal as slots do not hold. */
    public static String allToAll(int n) {
        int parts = 12;
        PlanText plan = new PlanText("alltoall", "Simple", n, parts * n, false);
        for (int rank = 0; rank < n; rank++) {
            plan.block(rank).local("copy", parts, "o" + parts * rank, "i" + parts * rank);
            for (int peer : others(n, rank)) {
                Block block = plan.block(rank, peer);
                for (int i = 0; i < parts; i++) {
                    block.put("put", "i" + (parts * peer + i), peer, "o" + (parts * rank + i), 1, 0);
                }
                block.over("signal", 0).over("wait", 0).over("flush", 0);
            }
        }
        return plan.text();
    }

    /** An all-reduce in place by packets, whose readers wait for nothing but them. */
    public static String packets(int n) {
        PlanText plan = new PlanText("allreduce", "LL", n, n, true);
        plan.scratch = 4 * n;
        for (int rank = 0; rank < n; rank++) {
            Block put = plan.block(rank, others(n, rank));
            for (int i = 0; i < n - 1; i++) {
                int peer = others(n, rank)[i];
                put.local("cpkt", 1, "s" + peer, "i" + peer)
                        .put("ppkt", "s" + peer, peer, "s" + (n + rank), 1, i);
            }
            Block sum = plan.block(rank);
            List<String> from = new ArrayList<>(List.of("i" + rank));
            Arrays.stream(others(n, rank)).forEach(peer -> from.add("s" + (n + peer)));
            sum.local("recpkt", 1, "i" + rank + " s" + (2 * n + rank), from.toArray(String[]::new));
            for (int i = 0; i < n - 1; i++) {
                int peer = others(n, rank)[i];
                put.put("rppkt", "s" + (2 * n + rank), peer, "s" + (3 * n + rank), 1, i);
                plan.block(rank).local("upkt", 1, "i" + peer, "s" + (3 * n + peer));
            }
        }
        return plan.text();
    }

    /** An all-gather in place around a ring, whose order is all in the waits. */
    public static String ring(int n) {
        PlanText plan = new PlanText("allgather", "Simple", n, n, true);
        for (int rank = 0; rank < n; rank++) {
            int next = (rank + 1) % n;
            Block block = plan.block(rank, n == 2 ? new int[] {next} : new int[] {next, (rank + n - 1) % n});
            for (int k = 0; k < n - 1; k++) {
                int chunk = Math.floorMod(rank - k, n);
                block.put("put", "o" + chunk, next, "o" + chunk, 1, 0).over("signal", 0).over("wait", n == 2 ? 0 : 1);
            }
        }
        return plan.text();
    }

    /** An all-gather in place of two ranks, in which rank 1 reads by one block what another one lets come again. */
    static String reusedScratch(boolean isOrdered) {
        PlanText plan = new PlanText("allgather", "Simple", 2, 4, true);
        plan.scratch = 1;
        plan.semaphores[1] = 2;
        Block put = plan.block(0, 1, 1);
        for (int i = 0; i < 2; i++) {
            put.put("pws", "o" + i, 1, "s0", 1, 0).over(isOrdered ? "wait" : "nop", 1);
        }
        put.over("wait", 0).over("wait", 0);
        Block take = plan.block(1, 0);
        Block copy = plan.block(1, 0);
        for (int i = 0; i < 2; i++) {
            take.over("wait", 0).op("sem_release", "\"semaphore_ids\": [0]");
            copy.op("sem_acquire", "\"semaphore_ids\": [0]").local("copy", 1, "o" + i, "s0")
                    .over(isOrdered ? "signal" : "nop", 0);
        }
        take.put("pws", "o2", 0, "o2", 1, 0).put("pws", "o3", 0, "o3", 1, 0);
        return plan.text();
    }
}

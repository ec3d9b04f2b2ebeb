/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives.msccl;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Writes files as MSCCL's tools do: the algorithms of the tests. */
public final class AlgorithmText {
    private final String head;
    private final int nRanks;
    private final int inputs;
    private final int outputs;
    private final List<List<Block>> blocks;
    private int scratch;
    private int channels = 1;

    private AlgorithmText(String coll, int nRanks, int nChunks, boolean inPlace, boolean outOfPlace) {
        this.head = " nchunksperloop=\"" + nChunks + "\" ngpus=\"" + nRanks + "\" coll=\"" + coll + "\" inplace=\""
                + (inPlace ? 1 : 0) + "\" outofplace=\"" + (outOfPlace ? 1 : 0) + "\"";
        this.nRanks = nRanks;
        this.inputs = coll.equals("allgather") ? nChunks / nRanks : nChunks;
        this.outputs = coll.equals("reducescatter") ? nChunks / nRanks : nChunks;
        this.blocks = IntStream.range(0, nRanks).<List<Block>>mapToObj(rank -> new ArrayList<>()).toList();
    }

    /** A thread block. */
    private static final class Block {
        private final int id;
        private final String head;
        private final List<String> steps = new ArrayList<>();

        Block(int id, String head) {
            this.id = id;
            this.head = head;
        }

        /** From and to chunks such as {@code i3}. */
        Block step(String type, String from, String to, int count) {
            return step(type, from, to, count, null);
        }

        Block step(String type, String from, String to, int count, Block after) {
            steps.add("      <step s=\"" + steps.size() + "\" type=\"" + type + "\" srcbuf=\"" + from.charAt(0)
                    + "\" srcoff=\"" + from.substring(1) + "\" dstbuf=\"" + to.charAt(0) + "\" dstoff=\""
                    + to.substring(1) + "\" cnt=\"" + count + "\" depid=\"" + (after == null ? -1 : after.id)
                    + "\" deps=\"" + (after == null ? -1 : after.steps.size() - 1) + "\" hasdep=\"1\"/>\n");
            return this;
        }

        Block nop(Block after) {
            return step("nop", "i-1", "o-1", 0, after);
        }
    }

    private Block block(int rank, int send, int recv, int channel) {
        channels = Math.max(channels, channel + 1);
        List<Block> own = blocks.get(rank);
        Block block = new Block(own.size(), " send=\"" + send + "\" recv=\"" + recv + "\" chan=\"" + channel + "\"");
        own.add(block);
        return block;
    }

    private Block local(int rank) {
        return block(rank, -1, -1, 0);
    }

    private String text() {
        StringBuilder text = new StringBuilder("<!-- made by a test -->\n");
        text.append("<algo name=\"test\" proto=\"Simple\" nchannels=\"" + channels + "\"" + head
                + " minBytes=\"0\" maxBytes=\"0\">\n");
        for (int rank = 0; rank < nRanks; rank++) {
            text.append("  <gpu id=\"").append(rank).append("\" i_chunks=\"").append(inputs).append("\" o_chunks=\"")
                    .append(outputs).append("\" s_chunks=\"").append(scratch).append("\">\n");
            for (Block block : blocks.get(rank)) {
                text.append("    <tb id=\"").append(block.id).append('"').append(block.head).append(">\n")
                        .append(block.steps.stream().collect(Collectors.joining())).append("    </tb>\n");
            }
            text.append("  </gpu>\n");
        }
        return text.append("</algo>\n").toString();
    }

    /** An all-reduce by as many rings as there are channels, in and out of place. */
    public static String ring(int n, int nChannels) {
        AlgorithmText file = new AlgorithmText("allreduce", n, n * nChannels, true, true);
        for (int rank = 0; rank < n; rank++) {
            for (int channel = 0; channel < nChannels; channel++) {
                Block block = file.block(rank, (rank + 1) % n, (rank + n - 1) % n, channel);
                for (int k = 0; k <= 2 * n - 2; k++) {
                    int chunk = channel * n + Math.floorMod(rank - k, n);
                    String type = k == 0 ? "s" : k < n - 1 ? "rrs" : k == n - 1 ? "rrcs" : k < 2 * n - 2 ? "rcs" : "r";
                    block.step(type, "i" + chunk, "o" + chunk, 1);
                }
            }
        }
        return file.text();
    }

    /** An all-reduce in place in which each rank reduces a part for all, with all at once. */
    public static String allPairs(int n) {
        AlgorithmText file = new AlgorithmText("allreduce", n, n, true, false);
        file.scratch = n;
        for (int rank = 0; rank < n; rank++) {
            List<Block> peers = new ArrayList<>();
            for (int peer = 0; peer < n; peer++) {
                if (peer != rank) {
                    peers.add(file.block(rank, peer, peer, 0).step("s", "i" + peer, "s0", 1)
                            .step("r", "i0", "s" + peer, 1));
                }
            }
            Block sum = file.local(rank);
            peers.forEach(sum::nop);
            for (int peer = 0; peer < n; peer++) {
                if (peer != rank) {
                    sum.step("re", "s" + peer, "i" + rank, 1);
                }
            }
            for (int i = 0; i < peers.size(); i++) {
                peers.get(i).step("s", "i" + rank, "i" + rank, 1, sum);
                int peer = i < rank ? i : i + 1;
                peers.get(i).step("r", "i0", "i" + peer, 1);
            }
        }
        return file.text();
    }

    /** An all-reduce out of place by recursive doubling, of four chunks at once. */
    public static String doubling(int n) {
        AlgorithmText file = new AlgorithmText("allreduce", n, 4, false, true);
        file.scratch = 4 * Integer.numberOfTrailingZeros(n);
        for (int rank = 0; rank < n; rank++) {
            Block before = file.local(rank).step("cpy", "i0", "o0", 4);
            for (int round = 0; 1 << round < n; round++) {
                int peer = rank ^ 1 << round;
                before = file.block(rank, peer, peer, round).step("s", "o0", "s0", 4, before)
                        .step("r", "o0", "s" + 4 * round, 4).step("re", "s" + 4 * round, "o0", 4);
            }
        }
        return file.text();
    }

    /** An all-reduce within pairs of ranks, then between them by doubling, and within pairs again. */
    public static String hierarchical(int n) {
        AlgorithmText file = new AlgorithmText("allreduce", n, 2, true, true);
        file.scratch = Integer.numberOfTrailingZeros(n) - 1;
        for (int rank = 0; rank < n; rank++) {
            int own = rank % 2;
            int other = 1 - own;
            Block before = file.block(rank, rank ^ 1, rank ^ 1, 0).step("s", "i" + other, "s0", 1)
                    .step("rrc", "i" + own, "o" + own, 1);
            for (int round = 1; 1 << round < n; round++) {
                int peer = rank ^ 1 << round;
                before = file.block(rank, peer, peer, 0).step("s", "o" + own, "s0", 1, before)
                        .step("r", "o0", "s" + (round - 1), 1).step("re", "s" + (round - 1), "o" + own, 1);
            }
            file.block(rank, rank ^ 1, rank ^ 1, 1).step("s", "o" + own, "o" + own, 1, before)
                    .step("r", "o0", "o" + other, 1);
        }
        return file.text();
    }

    /** An all-to-all out of place: within pairs of ranks, then between ranks of the same place in their pairs. */
    public static String allToAllInTwoSteps(int n) {
        AlgorithmText file = new AlgorithmText("alltoall", n, n, false, true);
        file.scratch = n;
        for (int rank = 0; rank < n; rank++) {
            int place = rank % 2;
            Block own = file.local(rank);
            Block pair = file.block(rank, rank ^ 1, rank ^ 1, 0);
            for (int first = 0; first < n; first += 2) {
                own.step("cpy", "i" + (first + place), "s" + (first + place), 1);
                pair.step("s", "i" + (first + 1 - place), "s0", 1);
            }
            for (int first = 0; first < n; first += 2) {
                pair.step("r", "i0", "s" + (first + 1 - place), 1);
            }
            for (int first = 0; first < n; first += 2) {
                if (first == rank - place) {
                    own.nop(pair).step("cpy", "s" + first, "o" + first, 2);
                } else {
                    file.block(rank, first + place, first + place, 1).nop(own)
                            .step("s", "s" + first, "o" + first, 2, pair).step("r", "i0", "o" + first, 2);
                }
            }
        }
        return file.text();
    }

    /** An all-gather of two ranks, of so many chunks a rank, each of which sends all of its own before it receives. */
    static String swap(int chunks) {
        AlgorithmText file = new AlgorithmText("allgather", 2, 2 * chunks, true, true);
        for (int rank = 0; rank < 2; rank++) {
            Block block = file.block(rank, 1 - rank, 1 - rank, 0);
            for (int i = 0; i < chunks; i++) {
                block.step("s", "i" + i, "o0", 1);
            }
            for (int i = 0; i < chunks; i++) {
                block.step("r", "i0", "o" + ((1 - rank) * chunks + i), 1);
            }
            block.step("cpy", "i0", "o" + rank * chunks, chunks);
        }
        return file.text();
    }

    /** An all-gather in which each rank sends to all, of two chunks a rank, in and out of place. */
    public static String allGather(int n) {
        AlgorithmText file = new AlgorithmText("allgather", n, 2 * n, true, true);
        for (int rank = 0; rank < n; rank++) {
            file.local(rank).step("cpy", "i0", "o" + 2 * rank, 2);
            for (int peer = 0; peer < n; peer++) {
                if (peer != rank) {
                    file.block(rank, peer, peer, 0).step("s", "i0", "o" + 2 * rank, 2)
                            .step("r", "i0", "o" + 2 * peer, 2);
                }
            }
        }
        return file.text();
    }

    /** A reduce-scatter in which each rank sends to all, in and out of place. */
    public static String reduceScatter(int n) {
        AlgorithmText file = new AlgorithmText("reducescatter", n, n, true, true);
        file.scratch = n;
        for (int rank = 0; rank < n; rank++) {
            Block sum = file.local(rank).step("cpy", "i" + rank, "o0", 1);
            for (int peer = 0; peer < n; peer++) {
                if (peer != rank) {
                    Block pair = file.block(rank, peer, peer, 0).step("s", "i" + peer, "s0", 1)
                            .step("r", "i0", "s" + peer, 1);
                    sum.step("re", "s" + peer, "o0", 1, pair);
                }
            }
        }
        return file.text();
    }
}

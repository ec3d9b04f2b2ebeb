/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives.msccl;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.BiFunction;

/**
 * Algorithm files: MSCCL's XML and MSCCL++'s plans. A text is refused with its place, or it is an algorithm that comes
 * to its end; then the same text is the same algorithm.
 */
public final class AlgorithmsFuzz {
    private static final String FILE = "a file";
    private static final String XML = """
            <algo name="a" proto="Simple" nchannels="1" nchunksperloop="2" ngpus="2" coll="allreduce" inplace="1"
             outofplace="1" minBytes="0" maxBytes="0">
            <gpu id="0" i_chunks="2" o_chunks="2" s_chunks="1">
            <tb id="0" send="1" recv="1" chan="0">
            <step s="0" type="s" srcbuf="i" srcoff="0" dstbuf="o" dstoff="0" cnt="1" depid="-1" deps="-1" hasdep="0"/>
            <step s="1" type="rrcs"
             srcbuf="i" srcoff="1" dstbuf="o" dstoff="1" cnt="1" depid="-1" deps="-1" hasdep="0"/>
            <step s="2" type="r" srcbuf="i" srcoff="0" dstbuf="o" dstoff="0" cnt="1" depid="-1" deps="-1" hasdep="0"/>
            </tb></gpu>
            <gpu id="1" i_chunks="2" o_chunks="2" s_chunks="1">
            <tb id="0" send="0" recv="0" chan="0">
            <step s="0" type="s" srcbuf="i" srcoff="1" dstbuf="o" dstoff="0" cnt="1" depid="-1" deps="-1" hasdep="0"/>
            <step s="1" type="rrcs"
             srcbuf="i" srcoff="0" dstbuf="o" dstoff="0" cnt="1" depid="-1" deps="-1" hasdep="0"/>
            <step s="2" type="r" srcbuf="i" srcoff="0" dstbuf="o" dstoff="1" cnt="1" depid="-1" deps="-1" hasdep="0"/>
            </tb></gpu></algo>
            """;
    private static final String RANK = """
            {"id": %1$d, "input_chunks": 1, "output_chunks": 2, "scratch_chunks": 2, "threadblocks": [{"id": 0, "ops": [
            {"name": "signal", "channel_ids": [0], "channel_type": "port"},
            {"name": "wait", "channel_ids": [0], "channel_type": "port"},
            {"name": "put", "src_buff": [{"type": "o", "index": %1$d, "size": 1}],
             "dst_buff": [{"buffer_id": 0, "index": %1$d, "size": 1}], "channel_ids": [0], "channel_type": "port"},
            {"name": "signal", "channel_ids": [0], "channel_type": "port"},
            {"name": "flush", "channel_ids": [0], "channel_type": "port"},
            {"name": "wait", "channel_ids": [0], "channel_type": "port"}],
            "channels": [{"channel_type": "port", "channel_ids": [0]}],
            "remote_buffer_refs": [{"access_channel_type": "port", "remote_buffer_ids": [0]}]},
            {"id": 1, "ops": [{"name": "barrier", "barrier_id": 0, "num_threadblocks": 1},
            {"name": "sem_release", "semaphore_ids": [0]}, {"name": "sem_acquire", "semaphore_ids": [0]},
            {"name": "pipeline", "iter_context": {"unit_size": 64, "num_chunks": 1}, "ops": [
            {"name": "copy", "tbg_info": {"tb_id": 0, "tbg_size": 2},
             "src_buff": [{"type": "o", "index": %1$d, "size": 1}],
             "dst_buff": [{"type": "s", "index": 0, "size": 1}]}]}], "channels": []}],
            "channels": [{"channel_type": "port", "connected_to": [%2$d]}],
            "remote_buffers": [{"rank": %2$d, "type": "o", "access_channel_types": ["port"]}],
            "semaphores": [{"init_value": 0}]}""";
    private static final String PACKETS = """
            {"id": %1$d, "input_chunks": 1, "output_chunks": 1, "scratch_chunks": 2, "threadblocks": [{"id": 0, "ops": [
            {"name": "cpkt", "src_buff": [{"type": "i", "index": 0, "size": 1}],
             "dst_buff": [{"type": "s", "index": 0, "size": 1}]},
            {"name": "rppkt", "src_buff": [{"type": "s", "index": 0, "size": 1}],
             "dst_buff": [{"buffer_id": 0, "index": 1, "size": 1}], "channel_ids": [0], "channel_type": "port"},
            {"name": "repkt", "src_buff": [{"type": "i", "index": 0, "size": 1}, {"type": "s", "index": 1, "size": 1}],
             "dst_buff": [{"type": "i", "index": 0, "size": 1}]}],
            "channels": [{"channel_type": "port", "channel_ids": [0]}],
            "remote_buffer_refs": [{"access_channel_type": "port", "remote_buffer_ids": [0]}]}],
            "channels": [{"channel_type": "port", "connected_to": [%2$d]}],
            "remote_buffers": [{"rank": %2$d, "type": "s", "access_channel_types": ["port"]}]}""";

    private AlgorithmsFuzz() {
    }

    public static void fuzzerTestOneInput(byte[] input) {
        String text = new String(input, StandardCharsets.UTF_8);
        AlgorithmFile file;
        try {
            file = AlgorithmFiles.of(FILE, text);
        } catch (ProxyException e) {
            require(e.result() == ProxyResult.INVALID_ARGUMENT || e.result() == ProxyResult.INVALID_USAGE,
                    "refused as " + e.result());
            require(e.getMessage().startsWith(FILE) && e.getMessage().lines().count() == 1, e.getMessage());
            return;
        }
        require(file.equals(AlgorithmFiles.of(FILE, text)), "an algorithm is not what it was");
    }

    /** Inputs to begin with. */
    public static List<byte[]> seeds() {
        BiFunction<String, String, String> plan = (head, rank) -> "{" + head + ", \"inplace\": true, \"gpus\": ["
                + rank.formatted(0, 1) + ", " + rank.formatted(1, 0) + "], \"max_message_size\": 18446744073709551615}";
        return List.of(bytes(XML), bytes(plan.apply("\"collective\": \"allgather\", \"protocol\": \"Simple\"", RANK)),
                bytes(plan.apply("\"collective\": \"allreduce\", \"protocol\": \"LL\"", PACKETS)));
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static void require(boolean isSo, String fault) {
        if (!isSo) {
            throw new IllegalStateException(fault);
        }
    }
}

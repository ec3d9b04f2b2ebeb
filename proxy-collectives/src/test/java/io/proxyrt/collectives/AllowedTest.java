/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.CollFunction;
import io.proxyrt.core.Protocol;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.config.Option;
import io.proxyrt.core.config.ProxyConfig;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** NCCL_ALGO and NCCL_PROTO, as NCCL reads them. */
class AllowedTest {
    private static Allowed<Algorithm> algorithms(String text) {
        return CollectivesOptions.ALGORITHM.parse(text, "a test");
    }

    private static Allowed<Protocol> protocols(String text) {
        return CollectivesOptions.PROTOCOL.parse(text, "a test");
    }

    private static <E extends Enum<E>> String of(Allowed<E> allowed, CollFunction function, E[] all) {
        return Arrays.stream(all).filter(one -> allowed.admits(function, one)).map(Enum::name)
                .collect(Collectors.joining(" "));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            LL               | LL
            Simple           | SIMPLE
            LL,Simple        | LL SIMPLE
            simple , ll128   | LL128 SIMPLE
            ^LL128           | LL SIMPLE
            ^LL,LL128        | SIMPLE
            auto             | LL LL128 SIMPLE
            allreduce:^LL    | LL128 SIMPLE
            broadcast:LL     | LL LL128 SIMPLE
            LL;allreduce:^LL | LL128 SIMPLE
            LL;reduce:LL128  | LL
            LL,Simple;AllReduce:^LL     | LL128 SIMPLE
            ^LL128;allreduce:LL128      | LL128
            LL,,Simple;;reduce:LL;      | LL SIMPLE
            allreduce:LL;allreduce:^LL  | LL128 SIMPLE
            ^                           | LL LL128 SIMPLE
            """)
    void shouldReadListsOfProtocols(String text, String ofAllReduce) {
        assertEquals(ofAllReduce, of(protocols(text), CollFunction.ALL_REDUCE, Protocol.values()));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            Ring                      | RING                               | RING
            RING,NVLS                 | RING                               | RING
            collnet                   | COLLNETDIRECT COLLNETCHAIN         | COLLNETDIRECT COLLNETCHAIN
            CollnetDirect,NVLS        | COLLNETDIRECT                      | COLLNETDIRECT
            ^Tree                     | RING DOUBLING PAT HIERARCHICAL MSCCL ONESHOT COLLNETDIRECT COLLNETCHAIN \
            | RING DOUBLING PAT HIERARCHICAL MSCCL ONESHOT COLLNETDIRECT COLLNETCHAIN
            Tree                      | TREE                               | TREE
            ^collnetchain,doubling    | RING TREE PAT HIERARCHICAL MSCCL ONESHOT COLLNETDIRECT \
            | RING TREE PAT HIERARCHICAL MSCCL ONESHOT COLLNETDIRECT
            ring;allreduce:doubling   | DOUBLING                           | RING
            allgather:ring,collnetdirect \
            | RING TREE DOUBLING PAT HIERARCHICAL MSCCL ONESHOT COLLNETDIRECT COLLNETCHAIN | RING COLLNETDIRECT
            """)
    void shouldReadListsOfAlgorithms(String text, String ofAllReduce, String ofAllGather) {
        assertEquals(ofAllReduce, of(algorithms(text), CollFunction.ALL_REDUCE, Algorithm.values()));
        assertEquals(ofAllGather, of(algorithms(text), CollFunction.ALL_GATHER, Algorithm.values()));
    }

    @Test
    void shouldLeaveOutWhatIsOfNcclAndNotHere() {
        assertEquals(List.of("nvlstree", "nvls"), algorithms("ring,NVLSTree;allreduce:NVLS,ring,nvlstree").leftOut());
        assertEquals(List.of(), algorithms("^nvls,nvlstree").leftOut());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
            NVLS              | nothing is left for broadcast; not here: nvls
            ring;allreduce:NVLS,NVLSTree | nothing is left for allreduce; not here: nvls, nvlstree
            ^auto             | nothing is left for broadcast
            bush | 'bush' is none of [auto, ring, tree, doubling, pat, hierarchical, msccl,
            ring;doubling     | 'doubling' needs a function before it, such as allreduce:doubling
            allreduce:        | nothing is left for allreduce
            allreduce:broadcast:ring | 'broadcast:ring' is none of
            alltoall:ring     | 'alltoall' is none of [broadcast, reduce, allgather, reducescatter, allreduce]
            """)
    void shouldSayWhatIsWrong(String text, String message) {
        ProxyException failure = assertThrows(ProxyException.class, () -> algorithms(text));
        assertTrue(failure.getMessage().contains(message), failure.getMessage());
    }

    @ParameterizedTest
    @CsvSource({"auto, auto", "'Simple,LL', 'll,simple'", "collnet, 'collnetdirect,collnetchain'",
        "ring;allreduce:^ring, 'broadcast:ring;reduce:ring;allgather:ring;reducescatter:ring;"
            + "allreduce:tree,doubling,pat,hierarchical,msccl,oneshot,"
            + "collnetdirect,collnetchain'"})
    void shouldWriteWhatItReads(String text, String written) {
        Option<? extends Allowed<?>> option = text.contains("LL") ? CollectivesOptions.PROTOCOL
                : CollectivesOptions.ALGORITHM;
        Allowed<?> allowed = option.parse(text, "a test");
        assertEquals(written, allowed.toString());
        assertEquals(allowed, option.parse(written, "a test"));
    }

    @Test
    void shouldBeSetByNamesOfNccl() {
        ProxyConfig config = ProxyConfig.builder().environment(Map.of("NCCL_ALGO", "Ring", "NCCL_PROTO", "^LL128"))
                .build();
        assertEquals(Allowed.only(Algorithm.RING), config.get(CollectivesOptions.ALGORITHM));
        assertEquals(Allowed.only(Protocol.LL, Protocol.SIMPLE), config.get(CollectivesOptions.PROTOCOL));
    }
}

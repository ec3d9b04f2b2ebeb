/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.view;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.proxyrt.core.RedOp;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class JsonTest {
    private record Size(long bytes, double share) {
    }

    private record Tree(String name, @Json.Inline Size size, @Json.TextOnly String note, Optional<String> error,
            Optional<Integer> count, Long wrong, boolean isWhole, List<RedOp> ops, List<Size> parts,
            Map<String, String> options) {
    }

    private static final Tree TREE = new Tree("a\"b", new Size(1L << 40, 0.5), "for people", Optional.empty(),
            Optional.of(3), null, true, List.of(RedOp.SUM), List.of(new Size(1, 2)), Map.of("key", "value"));

    @Test
    void shouldWriteComponentsAsFieldsInTheirOrder() {
        assertEquals("""
                {"name":"a\\"b","bytes":1099511627776,"share":0.5,"count":3,"wrong":null,"isWhole":true,\
                "ops":["SUM"],"parts":[{"bytes":1,"share":2.0}],"options":{"key":"value"}}""",
                Json.text(TREE).replaceAll("\\s+", ""));
    }
}

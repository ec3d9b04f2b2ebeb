/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ReductionListTest {
    private static ReductionList read(String text) {
        return CollectivesOptions.GPU_COMPILE_AHEAD.parse(text, "a test");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            none                           | none
            ''                             | none
            ,                              | none
            float                          | sum-float
            Sum-FLOAT32 , max-int8         | sum-float,max-int8
            mulsum-bfloat16,avg-f8e4m3     | mulsum-bfloat16,avg-f8e4m3
            half,sum-float16,,sum-half     | sum-half
            min - uint64, float8_e5m2      | min-uint64,sum-f8e5m2
            """)
    void shouldReadOperatorsAndTypesOnceEach(String text, String expected) {
        assertEquals(expected, read(text).toString());
        assertEquals(read(text), read(expected));
        assertEquals(read(text).hashCode(), read(expected).hashCode());
    }

    @Test
    void shouldKeepTheirOrder() {
        List<String> found = new ArrayList<>();
        read("prod-int32,mulsum-half,float").forEach((type, op) -> found.add(op + " of " + type));
        assertEquals(List.of("PROD of INT32", "PREMULSUM of FLOAT16", "SUM of FLOAT32"), found);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            sum-bf16      | 'bf16' in 'sum-bf16' is no type of [int8, uint8,
            bf16          | 'bf16' in 'bf16' is no type of [int8, uint8,
            half,mean-int8 | 'mean' in 'mean-int8' is no operator of [sum, prod, max, min, avg, mulsum]; write
            sum           | 'sum' in 'sum' is no type of [int8, uint8,
            none,float    | 'none' in 'none' is no type
            sum-float-max | 'float-max' in 'sum-float-max' is no type
            -float        | '' in '-float' is no operator
            """, quoteCharacter = '"')
    void shouldSayWhatIsWrong(String text, String expected) {
        ProxyException failure = assertThrows(ProxyException.class, () -> read(text));
        assertEquals(ProxyResult.INVALID_ARGUMENT, failure.result());
        String start = "proxyrt.coll.gpu.compile.ahead (from a test) is '" + text + "': ";
        assertTrue(failure.getMessage().startsWith(start + expected), failure.getMessage());
    }
}

/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.report;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class EnvironmentBenchTest {
    @ParameterizedTest
    @CsvSource({"AMD EPYC, epyc", "Intel(R) Xeon(R) Processor, xeon",
        "AMD EPYC 9654 96-Core Processor, epyc-9654-96-core",
        "Intel(R) Core(TM) i7-8700 CPU @ 3.20GHz, core-i7-8700"})
    void shouldNameAMachineByItsProcessor(String processor, String name) {
        assertEquals(name, Environment.machine(processor));
    }
}

/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class EnvironmentCheckTest {
    private static EnvironmentCheck of(String... names) {
        return EnvironmentCheck.of(new CoreOptions().options(), Set.of(names));
    }

    @ParameterizedTest
    @CsvSource({"PROXYRT_BUFFER_BYTS, PROXYRT_BUFFER_BYTES", "PROXYRT_HUGE_PAGES, PROXYRT_MEMORY_HUGE_PAGES",
        "PROXYRT_THREADINGS, PROXYRT_THREADING", "PROXYRT_RANKS, PROXYRT_NRANKS", "PROXYRT_copy, PROXYRT_COPY",
        "PROXYRT_WEATHER_FORECAST, ''"})
    void shouldRefuseAnUnknownNameOfItsOwnAndSuggestOneThatIsKnown(String name, String meant) {
        ProxyException failure = assertThrows(ProxyException.class,
                () -> ProxyConfig.builder().environment(Map.of(name, "1")).build());
        assertEquals(ProxyResult.INVALID_ARGUMENT, failure.result());
        assertEquals("the environment has " + name + (meant.isEmpty() ? "" : " (did you mean " + meant + "?)")
                + ", which no module of this program knows: correct or unset it; `proxyrt info` lists those there are; "
                + "if other programs need what is set, build this one's ProxyConfig with environment(...) without it",
                failure.getMessage());
    }

    @ParameterizedTest
    @ValueSource(strings = {"PROXYRT_RANK", "PROXYRT_NRANKS", "PROXYRT_JOB", "PROXYRT_COMM_ID", "PROXYRT_UNIQUE_ID",
        "PROXYRT_SECRET", "PROXYRT_SECRET_FILE", "PROXYRT_LOG", "PROXYRT_JAVA_HOME", "PROXYRT_JAVA_OPTS",
        "PROXYRT_THREADING", "NCCL_BUFFSIZE", "NCCL_SOCKET_IFNAME", "NCCL_COMM_ID", "NCCL_UCX_TLS", "PATH", "PROXYRT"})
    void shouldHaveNothingAgainstNamesThatAreRead(String name) {
        assertEquals(new EnvironmentCheck(List.of(), List.of(), List.of()), of(name));
    }

    @Test
    void shouldTellNamesWithoutEffectFromThoseThatNobodyKnows() {
        assertEquals(new EnvironmentCheck(List.of(),
                List.of("NCCL_DEBUG_TIMESTAMP_FORMAT", "NCCL_NVLS_ENABLE", "RCCL_WARP_SPEED_ENABLE"),
                List.of("NCCL_NCHANNELS (did you mean NCCL_MAX_NCHANNELS?)",
                        "NCCL_SOKET_IFNAME (did you mean NCCL_SOCKET_IFNAME?)", "RCCL_X")),
                of("NCCL_DEBUG_TIMESTAMP_FORMAT", "NCCL_NCHANNELS", "NCCL_NVLS_ENABLE", "NCCL_SOKET_IFNAME",
                        "RCCL_WARP_SPEED_ENABLE", "RCCL_X"));
    }

    @Test
    void shouldStartWithNamesThatMayBeMeantForOthers() {
        ProxyConfig config = ProxyConfig.builder().environment(Map.of("NCCL_NVLS_ENABLE", "0", "NCCL_NONSENSE", "1"))
                .build();
        assertEquals(CoreOptions.COPY.defaultValue(), config.get(CoreOptions.COPY));
    }

    @Test
    void shouldHaveEachNameOnce() {
        Set<String> seen = new HashSet<>();
        for (KnownVariables kind : KnownVariables.values()) {
            kind.names().forEach(name -> assertTrue(seen.add(name), name));
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldFindEachNameAgain(KnownVariables kind) {
        kind.names().forEach(name -> assertEquals(Optional.of(kind), KnownVariables.of(name.replace("*", "X"))));
    }

    @Test
    void shouldSuggestAKey() {
        ProxyException failure = assertThrows(ProxyException.class, () -> ProxyConfig.builder()
                .environment(Map.of()).set("append.bach.size", "3").build());
        assertTrue(failure.getMessage().contains("; did you mean proxyrt.append.batch.size?"), failure.getMessage());
    }
}

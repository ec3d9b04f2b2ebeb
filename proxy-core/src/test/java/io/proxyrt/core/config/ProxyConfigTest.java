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
import io.proxyrt.core.ThreadingMode;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ProxyConfigTest {
    private static final String KEY = "proxyrt.append.batch.size";

    @Test
    void shouldUseDefaultsWhenNothingIsSet() {
        ProxyConfig config = quiet().build();
        assertEquals(16, config.get(CoreOptions.APPEND_BATCH_SIZE));
        assertEquals(8, config.get(CoreOptions.APPEND_FREQUENCY));
        assertEquals("default", source(config));
    }

    @Test
    void shouldLetTheBuilderWinOverPropertiesAndThoseOverTheEnvironment() {
        Map<String, String> environment = Map.of("NCCL_PROXY_APPEND_BATCH_SIZE", "1");
        Map<String, String> both = Map.of("NCCL_PROXY_APPEND_BATCH_SIZE", "1", "PROXYRT_APPEND_BATCH_SIZE", "2");
        ProxyConfig alias = quiet().environment(environment).build();
        ProxyConfig own = quiet().environment(both).build();
        ProxyConfig property = quiet().environment(both).properties(Map.of(KEY, "3")).build();
        ProxyConfig named = quiet().environment(both).properties(Map.of(KEY, "3")).set(KEY, "4").build();
        ProxyConfig builder = quiet().environment(both).properties(Map.of(KEY, "3")).set(KEY, "4")
                .set(CoreOptions.APPEND_BATCH_SIZE, 5).build();
        assertEquals("1 NCCL_PROXY_APPEND_BATCH_SIZE", value(alias) + " " + source(alias));
        assertEquals("2 PROXYRT_APPEND_BATCH_SIZE", value(own) + " " + source(own));
        assertEquals("3 property", value(property) + " " + source(property));
        assertEquals("4 builder", value(named) + " " + source(named));
        assertEquals("5 builder", value(builder) + " " + source(builder));
    }

    @Test
    void shouldTakeAnEmptyAliasForUnset() {
        assertEquals(16, value(quiet().environment(Map.of("NCCL_PROXY_APPEND_BATCH_SIZE", "")).build()));
    }

    @Test
    void shouldRefuseUnknownKeys() {
        assertMessage("unknown option proxyrt.append.bach.size (from builder)",
                quiet().set("append.bach.size", "3"));
        assertMessage("unknown option proxyrt.colour (from property)",
                quiet().properties(Map.of("proxyrt.colour", "")));
    }

    @ParameterizedTest
    @CsvSource({"append.batch.size,0,must be in 1..65536", "append.batch.size,lots,not a number",
        "append.batch.size,4294967297,must be in 1..65536", "buffer.bytes,1K,must be in 32768..1073741824 bytes",
        "buffer.bytes,99999999999G,not a number", "close.timeout,soon,not a number",
        "close.timeout,-1s,must not be negative", "close.timeout,PT,not a duration",
        "threading,quick,'must be one of [dedicated, shared_control, shared, invoker, auto]'",
        "ops.lane.capacity,100,must be a power of two"})
    void shouldRefuseBadValuesWithTheReason(String key, String value, String reason) {
        assertMessage(reason, quiet().set(key, value));
    }

    @Test
    void shouldReadUnits() {
        ProxyConfig config = quiet().set("buffer.bytes", "2m").set("close.timeout", "250ms")
                .set("connect.timeout", "2m").set("ops.post.timeout", "PT3S").set("idle.park", "7")
                .set("threading", "shared-control").build();
        assertEquals(2L << 20, config.get(CoreOptions.BUFFER_BYTES));
        assertEquals(Duration.ofMillis(250), config.get(CoreOptions.CLOSE_TIMEOUT));
        assertEquals(Duration.ofMinutes(2), config.get(CoreOptions.CONNECT_TIMEOUT));
        assertEquals(Duration.ofSeconds(3), config.get(CoreOptions.POST_TIMEOUT));
        assertEquals(Duration.ofMillis(7), config.get(CoreOptions.IDLE_PARK));
        assertEquals(ThreadingMode.SHARED_CONTROL, config.get(CoreOptions.THREADING));
    }

    @Test
    void shouldKeepDurationsSetAsObjects() {
        assertEquals(Duration.ofNanos(1_500_000_001),
                quiet().set(CoreOptions.CLOSE_TIMEOUT, Duration.ofNanos(1_500_000_001)).build()
                        .get(CoreOptions.CLOSE_TIMEOUT));
    }

    @Test
    void shouldRefuseOptionsOfAbsentModules() {
        Option<String> other = Option.ofString("other", "", "x", "of no module");
        ProxyConfig config = quiet().build();
        assertEquals(ProxyResult.INVALID_USAGE,
                assertThrows(ProxyException.class, () -> config.get(other)).result());
    }

    private static ProxyConfig.Builder quiet() {
        return ProxyConfig.builder().environment(Map.of()).properties(Map.of());
    }

    private static int value(ProxyConfig config) {
        return config.get(CoreOptions.APPEND_BATCH_SIZE);
    }

    private static String source(ProxyConfig config) {
        return config.settings().stream().filter(s -> s.option() == CoreOptions.APPEND_BATCH_SIZE).findFirst()
                .orElseThrow().source();
    }

    private static void assertMessage(String part, ProxyConfig.Builder builder) {
        ProxyException failure = assertThrows(ProxyException.class, builder::build);
        assertEquals(ProxyResult.INVALID_ARGUMENT, failure.result());
        assertTrue(failure.getMessage().contains(part), failure.getMessage());
    }
}

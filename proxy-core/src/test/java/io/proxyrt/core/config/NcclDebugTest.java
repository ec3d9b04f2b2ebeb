/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.Subsystem;
import io.proxyrt.core.config.NcclDebug.Level;
import io.proxyrt.core.platform.HostName;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the environment's words for logging mean, as levels of loggers. */
class NcclDebugTest {
    private static NcclDebug of(String... namesAndValues) {
        Map<String, String> environment = new HashMap<>();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            environment.put(namesAndValues[i], namesAndValues[i + 1]);
        }
        return NcclDebug.of(ProxyConfig.builder().properties(Map.of()).environment(environment).build());
    }

    /** Names of the subsystems that have a level. */
    private static String at(NcclDebug debug, Level level) {
        return Arrays.stream(Subsystem.values())
                .filter(subsystem -> debug.levels().get(subsystem.loggerName()) == level).map(Subsystem::name)
                .collect(Collectors.joining(","));
    }

    @Test
    void shouldSayNothingWhereNothingIsAskedFor() {
        NcclDebug debug = of("NCCL_DEBUG_SUBSYS", "NET", "NCCL_DEBUG_FILE", "/tmp/x");
        assertEquals(new NcclDebug(Map.of(), "", List.of()), debug);
    }

    @ParameterizedTest
    @CsvSource({"NONE,OFF,OFF", "error,ERROR,ERROR", "VERSION,ERROR,INFO", "Warn,WARN,INFO", "INFO,WARN,INFO",
        "ABORT,WARN,INFO", "TRACE,WARN,INFO"})
    void shouldGiveEveryLoggerALevel(String asked, Level others, Level version) {
        NcclDebug debug = of("NCCL_DEBUG", asked);
        assertEquals(2 + Subsystem.values().length, debug.levels().size());
        assertEquals(others, debug.levels().get("proxyrt"));
        assertEquals(others, debug.levels().get("proxyrt.net"));
        assertEquals(version, debug.levels().get("proxyrt.init.version"));
        assertEquals(List.of(), debug.warnings());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "''                | INIT,ENV,BOOTSTRAP",
        "net               | NET",
        "INIT, Net ,SHM    | INIT,SHM,NET",
        "all, RAS | INIT,COLL,P2P,SHM,NET,GRAPH,TUNING,ENV,ALLOC,CALL,PROXY,NVLS,BOOTSTRAP,REG,PROFILE,RAS,VERBS",
        "^ALL              | ''",
        "^INIT,CALL,VERBS  | COLL,P2P,SHM,NET,GRAPH,TUNING,ENV,ALLOC,PROXY,NVLS,BOOTSTRAP,REG,PROFILE,RAS"})
    void shouldChooseSubsystems(String asked, String chosen) {
        assertEquals(chosen, at(of("NCCL_DEBUG", "INFO", "NCCL_DEBUG_SUBSYS", asked), Level.INFO));
        assertEquals(chosen, at(of("NCCL_DEBUG", "TRACE", "NCCL_DEBUG_SUBSYS", asked), Level.TRACE));
        assertEquals("", at(of("NCCL_DEBUG", "WARN", "NCCL_DEBUG_SUBSYS", asked), Level.INFO));
    }

    @Test
    void shouldPassOverWhatItDoesNotKnowAndSayWhatThereIs() {
        NcclDebug level = of("NCCL_DEBUG", "LOUD");
        assertEquals(Map.of(), level.levels());
        assertEquals(List.of("NCCL_DEBUG has 'LOUD', which is passed over: there are NONE, ERROR, VERSION, WARN, INFO, "
                + "ABORT, TRACE"), level.warnings());
        NcclDebug subsystem = of("NCCL_DEBUG", "INFO", "NCCL_DEBUG_SUBSYS", "NET,SOCKETS");
        assertEquals("NET", at(subsystem, Level.INFO));
        assertEquals(1, subsystem.warnings().size());
        assertTrue(subsystem.warnings().getFirst().startsWith("NCCL_DEBUG_SUBSYS has 'SOCKETS'")
                && subsystem.warnings().getFirst().endsWith(", VERBS, ALL"), subsystem.warnings()::toString);
    }

    @Test
    void shouldFillInHostAndProcess() {
        String pattern = "/tmp/%h.%p.100%%.%x%";
        assertEquals("/tmp/" + HostName.get() + "." + ProcessHandle.current().pid() + ".100%.%x%",
                of("NCCL_DEBUG", "INFO", "NCCL_DEBUG_FILE", pattern).file());
        assertEquals("", of("NCCL_DEBUG", "VERSION", "NCCL_DEBUG_FILE", pattern).file());
    }

    @Test
    void shouldReadItsOwnNamesAsWell() {
        NcclDebug debug = NcclDebug.of(ProxyConfig.builder().properties(Map.of("proxyrt.debug", "INFO"))
                .environment(Map.of("PROXYRT_DEBUG_SUBSYS", "SHM", "NCCL_DEBUG_SUBSYS", "NET")).build());
        assertEquals("SHM", at(debug, Level.INFO));
    }
}

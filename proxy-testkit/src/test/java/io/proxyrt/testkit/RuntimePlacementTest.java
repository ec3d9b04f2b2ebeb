/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.platform.Platform;
import io.proxyrt.core.runtime.ProxyState;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Where a whole runtime's threads and ops pool are. */
class RuntimePlacementTest {
    @TempDir
    private Path directory;

    @Test
    void shouldKeepTheOpsPoolOnTheNodeThatIsAskedFor() throws IOException {
        int node = Platform.find().pages().nodes()[0];
        try (ProxyState proxy = start(Map.of("memory.numa.node", Integer.toString(node)))) {
            assertEquals("bind:" + node, opsPolicy(), proxy::toString);
        }
        try (ProxyState proxy = start(Map.of())) {
            assertEquals("default", opsPolicy(), proxy::toString);
        }
    }

    @Test
    void shouldBindNothingWhereTheAdapterOfNetIsOnNoNode() throws IOException {
        Map<String, String> virtual = Map.of("net.socket.ifname", "=lo", "net.ib.disable", "1", "nic.affinity", "1");
        List<String> ordinary;
        try (ProxyState proxy = start(Map.of())) {
            ordinary = proxy.threads();
        }
        try (ProxyState proxy = start(virtual)) {
            assertEquals("", proxy.config().get(CoreOptions.CPUSET));
            assertEquals("default", opsPolicy());
            assertEquals(ordinary, proxy.threads());
        }
    }

    @Test
    void shouldGoByTheCpusThatAreSet() throws IOException {
        int cpu = Platform.find().processCpus().nextSetBit(0);
        try (ProxyState proxy = start(Map.of("nic.affinity", "1", "cpuset", Integer.toString(cpu),
                "memory.numa.node", "auto"))) {
            assertTrue(proxy.threads().stream().allMatch(line -> line.endsWith(", CPUs " + cpu)),
                    () -> proxy.threads().toString());
            assertEquals("bind:" + Platform.find().pages().nodeOf(cpu), opsPolicy());
        }
    }

    private ProxyState start(Map<String, String> options) {
        return Ranks.start(0, directory, ScriptedTransport.stuck(), options);
    }

    private String opsPolicy() throws IOException {
        return Files.readAllLines(Path.of("/proc/self/numa_maps")).stream()
                .filter(line -> line.contains("file=" + directory) && line.contains("/ops"))
                .map(line -> line.split(" ")[1]).findFirst().orElseThrow();
    }
}

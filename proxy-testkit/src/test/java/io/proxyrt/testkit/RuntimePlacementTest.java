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
import java.io.UncheckedIOException;
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
    void shouldKeepTheOpsPoolOnTheNodeThatIsAskedFor() {
        int node = Platform.find().pages().nodes()[0];
        try (ProxyState proxy = start(Map.of("memory.numa.node", Integer.toString(node)))) {
            assertEquals("bind:" + node, opsPolicy(), proxy::toString);
            assertTrue(ops().contains("N" + node + "=" + opsPages()), () -> "of " + opsPages() + " pages: " + ops());
        }
        try (ProxyState proxy = start(Map.of())) {
            assertEquals("default", opsPolicy(), proxy::toString);
        }
    }

    @Test
    void shouldBindNothingWhereTheAdapterOfNetIsOnNoNode() {
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
    void shouldGoByTheCpusThatAreSet() {
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

    private String opsPolicy() {
        return ops().get(1);
    }

    /** What the system says of the ops pool's mapping. */
    private List<String> ops() {
        try {
            return Files.readAllLines(Path.of("/proc/self/numa_maps")).stream()
                    .filter(line -> line.contains("file=" + directory) && line.contains("/ops"))
                    .map(line -> List.of(line.split(" "))).findFirst().orElseThrow();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private long opsPages() {
        String file = ops().stream().filter(word -> word.startsWith("file=")).findFirst().orElseThrow();
        return Math.ceilDiv(Path.of(file.substring("file=".length())).toFile().length(), 4096);
    }
}

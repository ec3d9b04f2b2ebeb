/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.topology;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.platform.Platform;
import java.util.Map;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

class HostNodeTest {
    @Test
    void shouldTakeTheNodeThatIsAskedFor() {
        assertEquals(OptionalInt.of(3), HostNode.of(Platform.find(), config("3")));
    }

    /** No module of this test knows which CPUs the process has. */
    @Test
    void shouldNotGuess() {
        assertEquals(OptionalInt.empty(), HostNode.of(Platform.find(), config("")));
        assertEquals(OptionalInt.empty(), HostNode.of(Platform.find(), config("auto")));
    }

    private static ProxyConfig config(String node) {
        return ProxyConfig.builder().environment(Map.of()).set(CoreOptions.NUMA_NODE, node).build();
    }
}

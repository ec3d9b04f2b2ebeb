/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.testkit;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class TwoHostsTest {
    /** Makes hosts, and is killed. */
    static final class Careless {
        private Careless() {
        }

        public static void main(String[] args) throws IOException {
            try (TwoHosts hosts = new TwoHosts()) {
                System.out.println(hosts.prefix(0).getLast());
                System.in.read();
            }
        }
    }

    @BeforeEach
    void requireHosts() {
        String whyNot = TwoHosts.whyNot();
        assumeTrue(whyNot.isEmpty(), whyNot);
    }

    @Test
    void shouldRemoveWhatAKilledTestLeftBehind() throws IOException {
        String name;
        try (ChildJvm child = new ChildJvm(List.of(), Careless.class)) {
            name = child.line();
            assertTrue(namespaces().contains(name), name);
            child.signal("KILL");
        }
        assertTrue(namespaces().contains(name), name);
        new TwoHosts().close();
        assertFalse(namespaces().contains(name), name);
    }

    private static String namespaces() throws IOException {
        Process list = new ProcessBuilder("ip", "netns", "list").start();
        return new String(list.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }
}

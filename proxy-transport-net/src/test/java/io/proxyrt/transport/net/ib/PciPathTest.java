/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.ib;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class PciPathTest {
    private static final String BRIDGE = "/sys/devices/pci0000:80/0000:80:01.0/";

    @Test
    void shouldHaveOnePlaceForAllFunctionsOfAnAdapter() {
        assertEquals(BRIDGE + "0000:86:00.0", PciPath.ofAdapter(BRIDGE + "0000:86:00.1", false));
        assertEquals(BRIDGE + "0000:86:03.0", PciPath.ofAdapter(BRIDGE + "0000:86:03.5", false));
        assertEquals(BRIDGE + "0000:86:00.0", PciPath.ofAdapter(BRIDGE + "0000:86:03.5", true));
        assertEquals("", PciPath.ofAdapter("", true));
    }
}

/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.ib;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.cli.ib.VerbsView.Hca;
import io.proxyrt.cli.view.Json;
import io.proxyrt.core.verbs.Verbs;
import io.proxyrt.testkit.verbs.SoftFabric;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class VerbsReportTest {
    private final SoftFabric fabric = new SoftFabric();

    @Test
    void shouldShowDevicesPortsAndAddresses() {
        fabric.addRoce("soft0", "10.0.0.1").pciPath("/sys/devices/pci0000:c0/0000:c1:00.0");
        fabric.addInfiniBand("soft1", 7).port(1).down();
        VerbsView view = VerbsView.of(fabric.host());
        String text = text(view);
        for (String line : new String[] {"library +soft verbs",
            "soft0 +firmware soft, GUID 02005e0000010000, vendor .*",
            "  bus +/sys/devices/pci0000:c0/0000:c1:00\\.0", "  limits +4096 queue pairs of .*",
            "  port 1 +ACTIVE, Ethernet, 100000 Mb/s, MTU 4096",
            "    GID 0 +fe80:0000:0000:0000:0000:5e00:0001:0001, RoCE v1", "    GID 3 +::ffff:10\\.0\\.0\\.1, RoCE v2",
            "  bus +none, it is virtual", "  port 1 +DOWN, InfiniBand, 100000 Mb/s, MTU 4096, LID 7"}) {
            assertTrue(text.lines().anyMatch(found -> found.matches(line)), line + " is missing in " + text);
        }
        assertEquals(5, text.lines().filter(line -> line.contains(" GID ")).count(), text);
        assertTrue(view.isUsable());
    }

    @Test
    void shouldWriteTheSameForPrograms() {
        fabric.addRoce("soft0", "10.0.0.1");
        String json = Json.text(VerbsView.of(fabric.host())).replaceAll("\\s+", "");
        for (String part : new String[] {"\"library\":\"softverbs\",\"whyNot\":\"\"",
            "\"name\":\"soft0\",\"whyNot\":\"\"",
            "\"maxQps\":4096", "\"number\":1,\"state\":\"ACTIVE\",\"linkLayer\":\"Ethernet\",\"speedMbps\":100000",
            "{\"index\":3,\"gid\":\"::ffff:10.0.0.1\",\"kind\":\"ROCE_V2\"}"}) {
            assertTrue(json.contains(part), part + " is missing in " + json);
        }
    }

    @Test
    void shouldSayWhyThereIsNone() {
        VerbsView none = new VerbsView("libibverbs.so.1", "it cannot be loaded", "8388608", List.of("mlx5_0"),
                "there is no folder", List.of());
        String text = text(none);
        for (String line : new String[] {"devices +none: it cannot be loaded",
            "locked memory +at most 8388608 bytes;.*",
            "not used +mlx5_0: there is no folder"}) {
            assertTrue(text.lines().anyMatch(found -> found.matches(line)), line + " is missing in " + text);
        }
        assertFalse(none.isUsable());
        assertTrue(text(VerbsView.of(fabric.host())).lines().anyMatch(line -> line.matches("devices +none")));
    }

    @Test
    void shouldSayWhyADeviceCannotBeOpened() {
        Hca denied = new Hca("mlx5_0", "EACCES (13)", "", Optional.empty(), List.of());
        String text = text(new VerbsView("libibverbs.so.1", "", "unlimited", List.of(), "", List.of(denied)));
        assertTrue(text.lines().anyMatch(line -> line.matches("mlx5_0 +not opened: EACCES \\(13\\)")), text);
        assertTrue(text.lines().anyMatch(line -> line.matches("locked memory +unlimited")), text);
    }

    @Test
    void shouldLookAtThisHost() {
        VerbsView view = VerbsView.of(Verbs.find());
        assertFalse(text(view).isBlank());
        assertTrue(view.devices().isEmpty() || view.whyNot().isEmpty());
    }

    private static String text(VerbsView view) {
        StringWriter text = new StringWriter();
        new VerbsReport(new PrintWriter(text)).print(view);
        return text.toString();
    }
}

/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.natives;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.proxyrt.core.HugePages;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.device.DeviceMemory;
import io.proxyrt.core.device.host.HostDevice;
import io.proxyrt.core.device.host.HostPlacement;
import io.proxyrt.core.platform.Descriptors;
import io.proxyrt.core.platform.HostPages;
import io.proxyrt.core.platform.Platform;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What a placement asks of the platform, where this host may have neither nodes nor huge pages to see it by. */
class PlacementTest {
    private static final long HUGE = 2L << 20;

    private final Platform real = Platform.find();
    private final List<Long> bound = new ArrayList<>();
    private final List<Long> reserved = new ArrayList<>();
    private boolean isRefused;

    @Test
    void shouldLeaveAnotherProcesssMemoryOnTheNodeItChose() {
        try (HostDevice device = device(1, HugePages.OFF, Integer.toString(real.pages().nodes()[0]))) {
            DeviceMemory memory = device.allocateShareable(8192);
            assertEquals(List.of(8192L), bound);

            device.importFd(device.exportFd(memory));
            device.openIpc(device.ipcHandle(memory));

            assertEquals(List.of(8192L), bound);
        }
    }

    @Test
    void shouldKeepNothingOfMemoryThatCannotBePlaced() throws IOException {
        isRefused = true;
        try (HostDevice device = device(4711, HugePages.OFF, Integer.toString(real.pages().nodes()[0]))) {
            assertEquals(ProxyResult.SYSTEM_ERROR,
                    assertThrows(ProxyException.class, () -> device.allocateShareable(8192)).result());
            assertEquals(ProxyResult.SYSTEM_ERROR,
                    assertThrows(ProxyException.class, () -> device.allocate(8192)).result());
            try (Stream<String> mappings = Files.lines(Path.of("/proc/self/maps"))) {
                assertEquals(List.of(), mappings.filter(line -> line.contains("proxyrt-host:4711")).toList());
            }
        }
    }

    /** As a segment of SHM, which is a page and some buffers. */
    @Test
    void shouldTakeReservedPagesForMemoryOfAnySizeFromOneOn() {
        try (HostDevice device = device(2, HugePages.RESERVED, "")) {
            DeviceMemory memory = device.allocateShareable(2 * HUGE + 1);
            memory.segment().set(ValueLayout.JAVA_BYTE, 2 * HUGE, (byte) 5);
            assertEquals(2 * HUGE + 1, memory.bytes());
            assertEquals(List.of(3 * HUGE), reserved);

            for (DeviceMemory mapped : List.of(device.importFd(device.exportFd(memory)),
                    device.openIpc(device.ipcHandle(memory)))) {
                assertEquals(5, mapped.segment().get(ValueLayout.JAVA_BYTE, 2 * HUGE));
            }
            assertEquals(2 * HUGE + 1, device.importFd(device.exportFd(memory), 2 * HUGE + 1).bytes());

            assertEquals(HUGE - 1, device.allocateShareable(HUGE - 1).bytes());
            assertEquals(HUGE, device.allocateShareable(HUGE).bytes());
            assertEquals(List.of(3 * HUGE, HUGE), reserved);
        }
    }

    private HostDevice device(int number, HugePages huge, String node) {
        ProxyConfig config = ProxyConfig.builder().environment(Map.of()).set(CoreOptions.HUGE_PAGES, huge)
                .set(CoreOptions.NUMA_NODE, node).build();
        Platform platform = platform();
        return new HostDevice(number, platform, HostPlacement.of(platform, config));
    }

    /** The real one, but for what is looked at here. */
    private Platform platform() {
        HostPages pages = instead(HostPages.class, real.pages(), (name, arguments) -> {
            if (name.equals("bind")) {
                if (isRefused) {
                    throw new ProxyException(ProxyResult.SYSTEM_ERROR, "cannot keep it there");
                }
                bound.add(((MemorySegment) arguments[0]).byteSize());
            }
            return name.equals("whyNoHuge") ? "" : null;
        });
        Descriptors descriptors = instead(Descriptors.class, real.descriptors(), (name, arguments) -> {
            if (name.equals("hugeMemfd")) {
                reserved.add((Long) arguments[1]);
                return real.descriptors().memfd((String) arguments[0], (Long) arguments[1]);
            }
            return null;
        });
        return instead(Platform.class, real, (name, arguments) -> switch (name) {
            case "pages" -> pages;
            case "descriptors" -> descriptors;
            default -> null;
        });
    }

    private interface Answers {
        /** Null to have the real one answer. */
        Object answer(String method, Object... arguments);
    }

    private static <T> T instead(Class<T> type, T real, Answers answers) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type},
                (proxy, method, arguments) -> {
                    Object answer = answers.answer(method.getName(), arguments);
                    try {
                        return answer == null ? method.invoke(real, arguments) : answer;
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                }));
    }
}

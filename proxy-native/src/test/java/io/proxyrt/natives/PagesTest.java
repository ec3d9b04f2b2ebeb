/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.natives;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.proxyrt.core.HugePages;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.device.DeviceMemory;
import io.proxyrt.core.device.host.HostDevice;
import io.proxyrt.core.device.host.HostPlacement;
import io.proxyrt.core.op.OpsPool;
import io.proxyrt.core.platform.HostPages;
import io.proxyrt.core.platform.Platform;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PagesTest {
    private static final long HUGE = 2L << 20;

    private final Platform platform = Platform.find();
    private final HostPages pages = platform.pages();

    @Test
    void shouldMapZeroedMemoryThatTakesNoPageBeforeItIsTouched() throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment memory = pages.map(4 * HUGE, arena);
            assertEquals(4 * HUGE, memory.byteSize());
            assertEquals(0, memory.address() % HUGE);
            assertEquals(0, pagesOf(memory));
            for (long offset = 0; offset < memory.byteSize(); offset += HUGE / 2) {
                assertEquals(0, memory.get(ValueLayout.JAVA_LONG, offset));
            }
            memory.set(ValueLayout.JAVA_LONG, HUGE + 8, 1);
            assertTrue(pagesOf(memory.asSlice(HUGE, 4096)) == 1);
        }
    }

    @Test
    void shouldUnmapWhatItMapped() throws IOException {
        for (long bytes : new long[] {100, HUGE, 5 * HUGE + 1}) {
            MemorySegment memory;
            try (Arena arena = Arena.ofShared()) {
                memory = pages.map(bytes, arena);
                memory.fill((byte) 1);
                assertEquals(0, memory.address() % 4096);
                assertEquals((bytes + 4095) / 4096, pagesOf(memory));
            }
            assertEquals(0, pagesOf(memory));
        }
    }

    @Test
    void shouldRefuseWhatCannotBeMapped() {
        try (Arena arena = Arena.ofConfined()) {
            assertEquals(ProxyResult.INVALID_ARGUMENT,
                    assertThrows(ProxyException.class, () -> pages.map(0, arena)).result());
            ProxyException tooMuch = assertThrows(ProxyException.class, () -> pages.map(1L << 62, arena));
            assertEquals(ProxyResult.SYSTEM_ERROR, tooMuch.result());
            assertTrue(tooMuch.getMessage().contains("ENOMEM"), tooMuch.getMessage());
        }
    }

    @Test
    void shouldGetHugePagesWhereTheSystemGivesThem() throws IOException {
        assumeTrue(pages.whyNoHuge(false).isEmpty(), pages.whyNoHuge(false));
        try (HostDevice device = device(HugePages.TRANSPARENT, "")) {
            MemorySegment memory = device.allocate(2 * HUGE).segment();
            memory.set(ValueLayout.JAVA_BYTE, HUGE, (byte) 1);
            assertEquals(HUGE >> 10, kib(memory, "AnonHugePages"));
        }
        try (HostDevice device = device(HugePages.OFF, "")) {
            MemorySegment memory = device.allocate(2 * HUGE).segment();
            memory.set(ValueLayout.JAVA_BYTE, HUGE, (byte) 1);
            assumeTrue(Files.readString(Path.of("/sys/kernel/mm/transparent_hugepage/enabled")).contains("[madvise]"));
            assertEquals(0, kib(memory, "AnonHugePages"));
        }
    }

    @Test
    void shouldSayWhatToDoWhereNoHugePagesAreSetAside() throws IOException {
        assumeTrue(Files.readString(Path.of("/sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages")).trim()
                .equals("0"));
        try (HostDevice device = device(HugePages.RESERVED, "")) {
            ProxyException none = assertThrows(ProxyException.class, () -> device.allocateShareable(HUGE));
            assertEquals(ProxyResult.SYSTEM_ERROR, none.result());
            assertTrue(none.getMessage().contains("raise vm.nr_hugepages"), none.getMessage());
            assertEquals(HUGE - 1, device.allocateShareable(HUGE - 1).segment().byteSize());
        }
    }

    @Test
    void shouldKeepMemoryOnTheNodeAskedFor() throws IOException {
        int node = pages.nodes()[pages.nodes().length - 1];
        try (HostDevice device = device(HugePages.OFF, Integer.toString(node))) {
            for (DeviceMemory memory : List.of(device.allocate(HUGE), device.allocateHost(4096),
                    device.allocateShareable(10_000))) {
                assertEquals(node, pages.nodeOf(memory.segment()));
                assertEquals("bind:" + node, policy(memory.segment()));
            }
            assertTrue(device.placement().toString().contains("NUMA node " + node), device.placement()::toString);
        }
    }

    /** They are there before anything is written to them, and are moved only where this mapping has read them. */
    @Test
    void shouldKeepHugePagesThatWereSetAsideOnTheNodeAskedFor() throws IOException {
        String free = Files.readString(Path.of("/sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages")).trim();
        assumeTrue(Integer.parseInt(free) >= 2, "2 huge pages have to be set aside: sysctl vm.nr_hugepages=2");
        int node = pages.nodes()[pages.nodes().length - 1];
        try (HostDevice device = device(HugePages.RESERVED, Integer.toString(node))) {
            MemorySegment memory = device.allocateShareable(2 * HUGE).segment();
            assertEquals("bind:" + node, policy(memory));
            assertEquals(2 * HUGE / 4096, pagesOf(memory));
            assertEquals(node, pages.nodeOf(memory));
        }
    }

    @Test
    void shouldKeepTheOpsPoolOnTheNodeAskedFor(@TempDir Path folder) throws IOException {
        int node = pages.nodes()[pages.nodes().length - 1];
        ProxyConfig config = ProxyConfig.builder().environment(Map.of())
                .set(CoreOptions.NUMA_NODE, Integer.toString(node)).build();
        Path placed = folder.resolve("placed");
        Path ordinary = folder.resolve("ordinary");
        try (OpsPool pool = OpsPool.create(placed, 0, config, HostPlacement.of(platform, config)::keep);
                OpsPool other = OpsPool.create(ordinary, 0, config)) {
            assertEquals(pool.isEveryPostHeard(), other.isEveryPostHeard());
            assertEquals("bind:" + node, mapping(placed).get(1));
            assertTrue(mapping(placed).contains("N" + node + "=" + Math.ceilDiv(Files.size(placed), 4096)),
                    mapping(placed)::toString);
            assertEquals("default", mapping(ordinary).get(1));
        }
    }

    @Test
    void shouldLeaveNoFileOfAnOpsPoolThatCannotBePlaced(@TempDir Path folder) {
        Path file = folder.resolve("ops");
        ProxyConfig config = ProxyConfig.builder().environment(Map.of()).build();
        assertThrows(ProxyException.class, () -> OpsPool.create(file, 0, config, memory -> pages.bind(memory, 1023)));
        assertTrue(Files.notExists(file));
    }

    @Test
    void shouldTakeTheNodeOfTheCpusBound() {
        int cpu = platform.processCpus().nextSetBit(0);
        ProxyConfig config = ProxyConfig.builder().environment(Map.of()).set(CoreOptions.NUMA_NODE, "auto")
                .set(CoreOptions.CPUSET, Integer.toString(cpu)).build();
        HostPlacement placement = HostPlacement.of(platform, config);
        assertTrue(placement.toString().contains("NUMA node " + pages.nodeOf(cpu)), placement::toString);
        assertEquals(pages.nodes().length == 1, placement.toString().endsWith("the only one"));
    }

    @Test
    void shouldRefuseANodeThatIsNotThere() {
        for (String node : new String[] {"1023", "-1", "first"}) {
            ProxyException refusal = assertThrows(ProxyException.class, () -> device(HugePages.OFF, node));
            assertEquals(ProxyResult.INVALID_ARGUMENT, refusal.result());
            assertTrue(refusal.getMessage().contains("memory.numa.node"), refusal.getMessage());
        }
    }

    @Test
    void shouldKnowTheNodesOfThisHost() throws IOException {
        assertTrue(pages.nodes().length > 0);
        for (int node : pages.nodes()) {
            assertTrue(Files.exists(Path.of("/sys/devices/system/node/node" + node)), "node " + node);
        }
    }

    private HostDevice device(HugePages huge, String node) {
        ProxyConfig config = ProxyConfig.builder().environment(Map.of()).set(CoreOptions.HUGE_PAGES, huge)
                .set(CoreOptions.NUMA_NODE, node).build();
        return new HostDevice(0, platform, HostPlacement.of(platform, config));
    }

    /** What the system says of the mapping that memory lies in. */
    private static long kib(MemorySegment memory, String what) throws IOException {
        boolean isIn = false;
        for (String line : Files.readAllLines(Path.of("/proc/self/smaps"))) {
            if (line.matches("[0-9a-f]+-[0-9a-f]+ .*")) {
                isIn = contains(line, memory.address());
            } else if (isIn && line.startsWith(what + ":")) {
                return Long.parseLong(line.replaceAll("\\D", ""));
            }
        }
        throw new AssertionError("no mapping at " + memory);
    }

    /** The system's word for where a mapping's memory shall lie; on a host with one node, all that can be seen. */
    private static String policy(MemorySegment memory) throws IOException {
        String found = "";
        for (String line : Files.readAllLines(Path.of("/proc/self/numa_maps"))) {
            String[] words = line.split(" ");
            if (Long.compareUnsigned(Long.parseUnsignedLong(words[0], 16), memory.address()) <= 0) {
                found = words[1];
            }
        }
        return found;
    }

    /** The system's words for a mapped file: the second is as of {@link #policy}, N0=7 counts the pages on a node. */
    private static List<String> mapping(Path file) throws IOException {
        return Files.readAllLines(Path.of("/proc/self/numa_maps")).stream().map(line -> List.of(line.split(" ")))
                .filter(words -> words.contains("file=" + file)).findFirst().orElseThrow();
    }

    /** How many of its pages the host has memory for: bit 63 of each one's word. */
    private static long pagesOf(MemorySegment memory) throws IOException {
        long first = memory.address() / 4096;
        long last = (memory.address() + memory.byteSize() - 1) / 4096;
        ByteBuffer words = ByteBuffer.allocate((int) (last - first + 1) * Long.BYTES).order(ByteOrder.nativeOrder());
        try (FileChannel pagemap = FileChannel.open(Path.of("/proc/self/pagemap"))) {
            pagemap.read(words, first * Long.BYTES);
        }
        long present = 0;
        for (words.flip(); words.hasRemaining(); ) {
            present += words.getLong() < 0 ? 1 : 0;
        }
        return present;
    }

    private static boolean contains(String line, long address) {
        String[] range = line.substring(0, line.indexOf(' ')).split("-");
        return Long.parseUnsignedLong(range[0], 16) <= address && address < Long.parseUnsignedLong(range[1], 16);
    }
}

/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.natives.gpu;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.device.LaunchShape;
import io.proxyrt.natives.CCalls;
import io.proxyrt.natives.CFunction;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.management.ManagementFactory;
import java.lang.ref.Reference;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Arguments arrive as C functions with the parameters of drivers' functions expect them. */
class GpuCallsTest {
    private static final int CALLS = 20_000;
    private static final String SOURCE = """
            #include <stddef.h>
            #include <stdint.h>
            #include <string.h>
            typedef struct { char bytes[64]; } handle;
            int none(void) { return -1; }
            int copy(void *to, const void *from, size_t bytes, int kind, void *stream) {
                return to == (void *) -2 && from == (void *) 3 && bytes == (size_t) 1 << 40 && kind == -4 && !stream;
            }
            int peer(void *to, int to_device, const void *from, int from_device, size_t bytes, void *stream) {
                return to == (void *) 1 && to_device == -2 && from == (void *) 3 && from_device == 4 && bytes == 5
                    && stream == (void *) 6;
            }
            int open_handle(void **address, handle value, unsigned int flags) {
                *address = (void *) (intptr_t) (value.bytes[0] + value.bytes[63]);
                return (int) flags;
            }
            int launch(void *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                       unsigned shared, void *stream, void **parameters, void **extra) {
                if (f != (void *) 9 || gx != 1 || gy != 2 || gz != 3 || bx != 4 || by != 5 || bz != 6 || shared != 7
                        || stream != (void *) 8 || parameters || extra[0] != (void *) 1 || extra[2] != (void *) 2
                        || extra[4] != (void *) 3 || *(size_t *) extra[3] != 16) {
                    return -1;
                }
                return (int) (((int64_t *) extra[1])[0] - ((int64_t *) extra[1])[1]);
            }
            const char *name(int code) { return code == -5 ? "minus five" : NULL; }
            """;

    @TempDir
    private static Path folder;
    private static SymbolLookup library;

    @BeforeEach
    @SuppressWarnings("restricted")
    void compile() throws IOException, InterruptedException {
        if (library == null) {
            Path source = Files.writeString(folder.resolve("calls.c"), SOURCE);
            Path file = folder.resolve("libcalls.so");
            HeaderValues.run(folder, List.of("cc", "-shared", "-fPIC", "-O1", "-o", file.toString(),
                    source.toString()));
            library = SymbolLookup.libraryLookup(file, Arena.global());
        }
    }

    @Test
    void shouldPassNumbersAndPointers() {
        assertEquals(-1, CCalls.call(function("none")));
        assertEquals(1, CCalls.call(function("copy"), -2, 3, 1L << 40, -4, 0));
        assertEquals(1, CCalls.call(function("peer"), 1, -2, 3, 4, 5, 6));
    }

    @Test
    void shouldPassAHandleByValue() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment handle = arena.allocate(GpuApi.IPC_HANDLE_BYTES);
            handle.set(ValueLayout.JAVA_BYTE, 0, (byte) 40);
            handle.set(ValueLayout.JAVA_BYTE, 63, (byte) 2);
            GpuScratch scratch = new GpuScratch(0);

            assertEquals(7, GpuCalls.openIpc(function("open_handle"), scratch.out(), handle, 7));
            assertEquals(42, scratch.asLong());
        }
    }

    @Test
    void shouldDescribeAKernelsArguments() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment arguments = arena.allocateFrom(ValueLayout.JAVA_LONG, 50, 8);
            LaunchShape shape = new LaunchShape(1, 2, 3, 4, 5, 6, 7);
            GpuScratch scratch = new GpuScratch(HipApi.LAUNCH_PARAM_END);

            assertEquals(42, GpuCalls.launch(function("launch"), 9, shape, 8, scratch.extra(arguments)));
            // The call has but an address: the collector would free the memory of a scratch without references.
            Reference.reachabilityFence(scratch);
        }
    }

    @Test
    void shouldGiveATextOrTheNumber() {
        assertEquals("minus five", GpuCalls.text(function("name"), -5));
        assertEquals("6", GpuCalls.text(function("name"), 6));
    }

    @Test
    void shouldNotAllocateOnTheDataPath() {
        var threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        CFunction copy = function("copy");
        CFunction launch = function("launch");
        LaunchShape shape = LaunchShape.of(1, 1);
        GpuScratch scratch = new GpuScratch(HipApi.LAUNCH_PARAM_END);
        MemorySegment arguments = Arena.ofAuto().allocate(16);
        long allocated = Long.MAX_VALUE;
        for (int round = 0; round < 100 && allocated > CALLS; round++) {
            long before = threads.getCurrentThreadAllocatedBytes();
            for (int call = 0; call < CALLS; call++) {
                CCalls.call(copy, call, 3, 1L << 40, -4, 0);
                GpuCalls.launch(launch, 1, shape, 8, scratch.extra(arguments));
            }
            allocated = threads.getCurrentThreadAllocatedBytes() - before;
        }
        assertTrue(allocated <= CALLS, CALLS + " calls allocated " + allocated + " bytes");
    }

    private static CFunction function(String name) {
        return new CFunction(name, library.findOrThrow(name));
    }
}

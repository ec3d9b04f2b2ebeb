/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.testkit.device;

import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.device.DeviceCapability;
import io.proxyrt.core.device.DeviceKernel;
import io.proxyrt.core.device.DeviceMemory;
import io.proxyrt.core.device.DeviceModule;
import io.proxyrt.core.device.DeviceStream;
import io.proxyrt.core.device.LaunchShape;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;

/** Programs that are loaded, and run on streams among the copies. */
abstract class DeviceKernelConformance extends DeviceStreamConformance {
    private static final int COUNT = 10_000;
    private static final long BYTES = COUNT * (long) Long.BYTES;
    private static final int LAUNCHES = 2000;

    @Test
    void shouldRunKernelsOfEveryShape() {
        DeviceStream stream = stream("proxy-shapes");
        DeviceKernel fill = kernel(ConformanceKernels.FILL);
        DeviceMemory out = device.allocate(BYTES);
        LaunchShape[] shapes = {LaunchShape.of(1, 1), LaunchShape.of(7, 64), LaunchShape.of(64, 1),
            new LaunchShape(2, 1, 1, 32, 1, 1, 1024),
            LaunchShape.of(1, device.attributes().limits().maxBlockThreads())};
        for (LaunchShape shape : shapes) {
            assertEquals(ConformanceKernels.FILL, fill.name());
            assertEquals(1, stream.launch(fill, shape, arguments(out.address(), COUNT, shape.gridX())));
            stream.synchronize(LONG);
            assertArrayEquals(numbers(shape.gridX()), longs(out), shape.toString());
        }
    }

    @Test
    void shouldRunKernelsInOrderWithCopies() {
        DeviceStream stream = stream("proxy-order");
        DeviceKernel fill = kernel(ConformanceKernels.FILL);
        DeviceKernel add = kernel(ConformanceKernels.ADD);
        DeviceMemory a = device.allocate(BYTES);
        DeviceMemory b = device.allocate(BYTES);
        DeviceMemory sum = device.allocate(BYTES);
        DeviceMemory seen = host(BYTES);
        for (int i = 1; i <= 20; i++) {
            assertEquals(1, stream.launch(fill, LaunchShape.of(2, 32), arguments(a.address(), COUNT, i)));
            copy(stream, b, 0, a, 0, BYTES);
            assertEquals(1, stream.launch(add, LaunchShape.of(2, 32),
                    arguments(sum.address(), a.address(), b.address(), COUNT)));
            copy(stream, seen, 0, sum, 0, BYTES);
        }
        stream.synchronize(LONG);
        for (int i = 0; i < COUNT; i++) {
            assertEquals(2L * (20 + i), seen.segment().getAtIndex(JAVA_LONG, i));
        }
    }

    /** The caller changes them as soon as the launch has returned. */
    @Test
    void shouldTakeItsOwnCopyOfTheArguments() {
        DeviceStream stream = stream("proxy-arguments");
        DeviceKernel fill = kernel(ConformanceKernels.FILL);
        DeviceMemory out = device.allocate(LAUNCHES * (long) Long.BYTES);
        MemorySegment arguments = arguments(0, 1, 0);
        for (int i = 0; i < LAUNCHES; i++) {
            arguments.setAtIndex(JAVA_LONG, 0, out.address() + i * (long) Long.BYTES);
            arguments.setAtIndex(JAVA_LONG, 2, i + 1);
            int taken = stream.launch(fill, LaunchShape.of(1, 1), arguments);
            while (taken == 0) {
                Thread.yield();
                taken = stream.launch(fill, LaunchShape.of(1, 1), arguments);
            }
            assertEquals(1, taken);
        }
        stream.synchronize(LONG);
        for (int i = 0; i < LAUNCHES; i++) {
            assertEquals(i + 1, longs(out)[i]);
        }
    }

    @Test
    void shouldRefuseWhatCannotBeLaunched() {
        DeviceStream stream = stream("proxy-refused");
        assume(DeviceCapability.MODULES);
        DeviceModule module = factory().load(device, arena);
        assertThrown(ProxyResult.INVALID_ARGUMENT, () -> module.kernel("no-such-kernel"));
        DeviceKernel fill = module.kernel(ConformanceKernels.FILL);
        int tooMany = device.attributes().limits().maxBlockThreads() + 1;
        assertRefused(stream, stream.launch(fill, LaunchShape.of(1, tooMany), arguments(0, 0, 0)));
        assertRefused(stream, stream.launch(fill, LaunchShape.of(1, 1),
                arena.allocate(DeviceStream.MAX_ARGUMENT_BYTES + 1)));
        assertRefused(stream, stream.launch(() -> "foreign", LaunchShape.of(1, 1), arguments(0, 0, 0)));

        module.close();
        module.close();
        assertThrown(ProxyResult.INVALID_ARGUMENT, () -> module.kernel(ConformanceKernels.FILL));
        assertRefused(stream, stream.launch(fill, LaunchShape.of(1, 1), arguments(0, 0, 0)));
        assertEquals(1, stream.query());
    }

    @Test
    void shouldRefuseImagesThatAreNone() {
        assume(DeviceCapability.MODULES);
        for (int bytes : new int[] {1, 64, 5000}) {
            MemorySegment junk = arena.allocate(bytes);
            junk.fill((byte) 'j');
            assertThrown(ProxyResult.INVALID_ARGUMENT, () -> device.loadModule(junk));
        }
    }

    @Test
    void shouldRunKernelsOfStreamsSideBySide() {
        DeviceStream held = stream("proxy-waits");
        DeviceStream opens = stream("proxy-opens");
        DeviceMemory word = host(Long.BYTES);
        DeviceMemory out = host(Long.BYTES);
        // Both before one runs: a driver may load a module when the device is idle only.
        DeviceKernel hold = kernel(ConformanceKernels.HOLD);
        DeviceKernel fill = kernel(ConformanceKernels.FILL);
        assertEquals(1, held.launch(hold, LaunchShape.of(1, 1), arguments(word.address(), 1L << 40)));
        assertEquals(1, held.write(out, 0, 5));
        assertEquals(0, held.query());
        assertEquals(1, opens.launch(fill, LaunchShape.of(1, 1), arguments(word.address(), 1, 1)));
        opens.synchronize(LONG);
        held.synchronize(LONG);
        assertEquals(5, out.segment().get(JAVA_LONG, 0));
    }

    private long[] longs(DeviceMemory memory) {
        return MemorySegment.ofArray(content(memory)).toArray(JAVA_LONG.withByteAlignment(1));
    }

    private static long[] numbers(long first) {
        long[] numbers = new long[COUNT];
        for (int i = 0; i < COUNT; i++) {
            numbers[i] = first + i;
        }
        return numbers;
    }
}

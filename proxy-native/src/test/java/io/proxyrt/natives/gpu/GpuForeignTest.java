/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.natives.gpu;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.device.CopyList;
import io.proxyrt.core.device.DeviceMemory;
import io.proxyrt.core.device.DeviceStream;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What another library has, by a driver's own double: how it says what it knows, and what it is asked for when. */
class GpuForeignTest {
    private static final long BYTES = 5000;

    private final ScriptedApi api = new ScriptedApi();
    private final GpuProcess process = new GpuProcess(api);
    private final GpuDevice device = new GpuDevice(process, 0);

    @AfterEach
    void close() {
        api.state = GpuApi.SUCCESS;
        api.taken = GpuApi.SUCCESS;
        api.isBusy = false;
        device.close();
        process.reclaimer().sweep();
        assertEquals(Map.of(), api.given);
    }

    /** PyTorch maps memory piece after piece, and a tensor may lie across them. */
    @Test
    void shouldWrapWhatIsMappedPieceByPieceAndNotWhatOnlyAdjoins() {
        long begin = 0x5000_0000_0000L;
        for (int i = 0; i < 4; i++) {
            api.pointers.add(pointer(0, begin + i * BYTES, begin + i * BYTES, i < 2));
        }

        long before = api.count("free");
        DeviceMemory tensor = device.wrap(begin + 100, 2 * BYTES - 100);

        assertEquals(begin + 100, device.deviceAddress(tensor.range(), tensor.bytes()));
        assertTrue(refusal(begin + 100, 2 * BYTES - 99).contains(2 * BYTES - 100 + " bytes are left of"));
        assertTrue(refusal(begin + 2 * BYTES, BYTES + 1).endsWith(
                "begins at 0x" + Long.toHexString(begin + 2 * BYTES)));
        tensor.close();
        assertEquals(before, api.count("free"));
    }

    @Test
    void shouldSayWhatTheDriverKnowsOfWhatItCannotWrap() {
        api.pointers.add(pointer(1, 1 << 20, 1, false));
        api.pointers.add(pointer(0, 2 << 20, 0, false));
        assertTrue(refusal(1 << 20, 8).contains("cuda:0 cannot wrap 8 bytes at 0x100000: it is memory of cuda:1"));
        assertTrue(refusal(2 << 20, 8).contains("a context of cuda:0"));
        assertTrue(refusal(3 << 20, 8).contains("knows no memory there; register"));
    }

    @Test
    void shouldSayWhatItCannotWrapWhereTheDriverFails() {
        api.pointers.add(pointer(0, 1 << 20, 1 << 20, true));
        api.pointers.add(pointer(0, (1 << 20) + BYTES, (1 << 20) + BYTES, true));
        for (int after = 0; after < 2; after++) {
            api.fail("pointer", after);
            assertEquals("cuda:0 cannot wrap " + 2 * BYTES + " bytes at 0x100000: pointer fails",
                    refusal(1 << 20, 2 * BYTES));
        }
    }

    @Test
    void shouldReachManagedMemoryOfWhicheverDevice() {
        api.pointers.add(new GpuPointer(1, GpuPointer.Place.MANAGED, 1 << 20, 1 << 20, BYTES, false));
        try (DeviceMemory managed = device.wrap(1 << 20, BYTES)) {
            assertEquals(1 << 20, device.deviceAddress(managed.range(), BYTES));
        }
    }

    private static GpuPointer pointer(int ordinal, long base, long deviceAddress, boolean isMapped) {
        return new GpuPointer(ordinal, GpuPointer.Place.DEVICE, deviceAddress, base, BYTES, isMapped);
    }

    private String refusal(long address, long bytes) {
        return assertThrows(ProxyException.class, () -> device.wrap(address, bytes)).getMessage();
    }

    /** Its owner may give it work for ever; only what was given to it here may use memory of this device. */
    @Test
    void shouldFreeMemoryWhateverElseIsOnAnothersStream() {
        GpuStream theirs = GpuStream.create(device, "theirs");
        DeviceStream wrapped = device.wrapStream(theirs.handle(), "wrapped");
        long before = api.count("free");
        api.isBusy = true;
        device.allocate(BYTES).close();
        assertEquals(before + 1, api.count("free"));
        assertEquals(0, wrapped.query(), "it has work");

        api.state = GpuApi.NOT_READY;
        device.allocate(BYTES).close();
        assertEquals(before + 1, api.count("free"), "what was given to it here is not done");
        api.state = GpuApi.SUCCESS;
        wrapped.close();
        api.isBusy = false;
        theirs.destroy();
    }

    /** The double fails where a stream is asked that is gone. */
    @Test
    void shouldNotTouchAnothersStreamOnceItIsClosed() {
        GpuStream theirs = GpuStream.create(device, "theirs");
        GpuStream wrapped = (GpuStream) device.wrapStream(theirs.handle(), "wrapped");
        api.state = GpuApi.NOT_READY;
        wrapped.close(0);
        theirs.destroy();
        long records = api.count("eventRecord");

        DeviceMemory memory = device.allocateShareable(BYTES);
        memory.close();

        assertEquals(records, api.count("eventRecord"), "nothing is put on it");
        assertTrue(api.given.containsValue("memMap"), "what it may use stays until it is done");
        api.state = GpuApi.SUCCESS;
        process.reclaimer().sweep();
        assertTrue(!api.given.containsValue("memMap") && !api.given.containsValue("streamCreate"));
    }

    @Test
    void shouldGiveEverythingBackWhenAStreamIsNotItsOwn() {
        Map<Long, String> before = Map.copyOf(api.given);
        api.taken = ScriptedApi.REFUSED;
        ProxyException refused = assertThrows(ProxyException.class, () -> device.wrapStream(0x1234, "wrapped"));
        assertEquals(ProxyResult.INVALID_ARGUMENT, refused.result());
        assertTrue(refused.getMessage().startsWith("cuda:0 cannot wrap stream 0x1234"), refused.getMessage());
        assertTrue(refused.getMessage().endsWith("error (1)"), refused.getMessage());
        api.taken = GpuApi.SUCCESS;
        api.fail("eventCreate", 3);
        assertThrows(ProxyException.class, () -> device.wrapStream(0x1234, "wrapped"));
        assertEquals(before, api.given);
    }

    /** The driver takes batches on streams that were created, and on no other. */
    @Test
    void shouldCopyOneByOneOnTheDefaultStream() {
        api.hasBatches = true;
        DeviceMemory memory = device.allocate(BYTES);
        CopyList copies = new CopyList(2);
        for (long handle = 0; handle < 3; handle++) {
            copies.clear();
            copies.add(memory, 0, memory, 100, 8);
            copies.add(memory, 8, memory, 200, 8);
            try (DeviceStream stream = device.wrapStream(handle, "default")) {
                assertEquals(1, stream.copyAll(copies));
            }
        }
        assertEquals(6, api.count("memcpyAsync"));
        assertEquals(0, api.count("memcpyBatchAsync"));
    }
}

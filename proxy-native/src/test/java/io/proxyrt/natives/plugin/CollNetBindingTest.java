/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.natives.plugin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.CollNetWindow;
import io.proxyrt.core.DataType;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.RedOp;
import io.proxyrt.core.plugin.CollNetBuffer;
import io.proxyrt.core.plugin.CollNetLibrary;
import io.proxyrt.core.plugin.CollNetParts;
import io.proxyrt.core.plugin.NetLibraries;
import io.proxyrt.core.plugin.NetLibrary;
import io.proxyrt.core.plugin.NetLibraryProperties;
import io.proxyrt.core.plugin.NetWords;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Collectives of each version get what they expect, from a C compiler's view of the interface. */
class CollNetBindingTest {
    private static final long COLL = 0x1000000010L;
    private static final long LISTENER = 0x1200000010L;
    private static final long MHANDLE = 0x3000000030L;
    private static final long REQUEST = 0x7000000070L;
    private static final long CONTEXT = 0x5000000050L;
    private static final long LARGE = 0x300000003L;
    private static final CollNetBuffer ONE = new CollNetBuffer().set(0x2000000020L, MHANDLE);
    private static final CollNetBuffer OTHER = new CollNetBuffer().set(0x2100000020L, 0x3100000030L);
    private static final CollNetWindow WINDOW = new CollNetWindow().set(LARGE, LARGE + 1, LARGE + 2);

    @TempDir
    private static Path folder;
    private final NetWords words = new NetWords();

    private static CollNetLibrary initialized(int version) {
        CollNetLibrary library = NetLibraries.find()
                .openCollNet(CheckingNet.compileCollNet(folder, version).toString());
        assertEquals(version >= 11 ? CONTEXT : 0, library.init());
        return library;
    }

    @ParameterizedTest
    @ValueSource(ints = {6, 7, 8, 9, 10, 11, 12})
    void shouldSetUpACommAndTakeItDown(int version) {
        CollNetLibrary library = initialized(version);
        assertEquals(version, library.version());
        assertEquals("Tree", library.name());
        assertEquals(version >= 8, library.hasWindows());
        NetLibraryProperties properties = library.properties(1);
        assertEquals("tree0", properties.name());
        assertEquals(77, properties.guid());
        assertEquals(version >= 9 ? 1L << 33 : 512 << 20, properties.maxCollBytes());
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment handle = arena.allocate(NetLibrary.HANDLE_BYTES);
            assertEquals(LISTENER, library.listen(version >= 11 ? CONTEXT : 0, 1, handle));
            assertEquals(0x5a, handle.get(ValueLayout.JAVA_BYTE, NetLibrary.HANDLE_BYTES - 1));
            MemorySegment handles = arena.allocate(3 * NetLibrary.HANDLE_BYTES);
            for (int i = 0; i < 3; i++) {
                handles.set(ValueLayout.JAVA_BYTE, (long) i * NetLibrary.HANDLE_BYTES, (byte) i);
                handles.set(ValueLayout.JAVA_BYTE, (long) (i + 1) * NetLibrary.HANDLE_BYTES - 1, (byte) (10 + i));
            }
            assertEquals(COLL, library.connect(handles, 3, 2, LISTENER));
        }
        assertTrue(library.reduces(DataType.FLOAT32, RedOp.MIN));
        assertFalse(library.reduces(DataType.FLOAT32, RedOp.SUM));
        assertEquals(MHANDLE, library.regMr(COLL, 0x2000000020L, version >= 8 ? LARGE : 1000));
        assertEquals(MHANDLE, library.regMrDmaBuf(COLL, 0x2000000020L, LARGE, 0x400000004L, 11));
        library.deregMr(COLL, MHANDLE);
        library.closeColl(COLL);
        library.closeListen(LISTENER);
        library.init();
        library.finish(version >= 11 ? CONTEXT : 0);
        assertEquals(version >= 11 ? 21 : 10, library.devices());
    }

    @ParameterizedTest
    @ValueSource(ints = {6, 7, 8, 9, 10, 11, 12})
    void shouldPostAndTestCollectives(int version) {
        CollNetLibrary library = initialized(version);
        long count = version >= 9 ? LARGE : 1000;

        assertEquals(0, library.iallreduce(COLL, ONE, OTHER, count, DataType.FLOAT32, RedOp.MIN, words),
                library.lastWarning());
        assertEquals(REQUEST, words.request());
        words.request(0);
        assertEquals(0, library.iflush(COLL, ONE, 1000, words), library.lastWarning());
        assertEquals(REQUEST, words.request());
        words.beforeTest(1);
        assertEquals(0, library.test(REQUEST, words), library.lastWarning());
        assertTrue(words.isDone());
        assertEquals(12, words.actual(0));
        CollNetParts parts = new CollNetParts(2);
        parts.part(0, MHANDLE, 0x2000000020L, 500);
        parts.part(1, MHANDLE + 1, 0x2000000021L, 501);
        int expected = version >= 8 ? 0 : ProxyResult.INVALID_USAGE.code();
        assertEquals(expected, library.iallgather(COLL, OTHER, parts, WINDOW, words), library.lastWarning());
        assertEquals(expected, library.ireducescatter(COLL, parts, OTHER, WINDOW, DataType.FLOAT32, RedOp.MIN, words),
                library.lastWarning());
    }

    @Test
    void shouldNotTellAVersionOfMoreThanAnIntCounts() {
        assertEquals(ProxyResult.INVALID_ARGUMENT.code(),
                initialized(8).iallreduce(COLL, ONE, OTHER, LARGE, DataType.FLOAT32, RedOp.MIN, words));
        CollNetLibrary oldest = initialized(7);
        assertEquals(ProxyResult.INVALID_ARGUMENT,
                assertThrows(ProxyException.class, () -> oldest.regMr(COLL, 0x2000000020L, LARGE)).result());
    }

    @Test
    void shouldSayWhichFunctionFailed() {
        CollNetLibrary library = NetLibraries.find()
                .openCollNet(CheckingNet.compileCollNet(folder, 12, "-DFAILING=2").toString());
        ProxyException failure = assertThrows(ProxyException.class, library::init);

        assertEquals(ProxyResult.SYSTEM_ERROR, failure.result());
        assertEquals("init of Tree (" + library.file() + ", ncclCollNet_v12) returned 2, SYSTEM_ERROR; its last "
                + "warning was: begin fails", failure.getMessage());
        assertEquals(2, library.iallreduce(COLL, ONE, OTHER, 1, DataType.FLOAT32, RedOp.MIN, words));
    }

    @Test
    void shouldOpenALibraryOnceAndOnlyOneThatHasCollectives() {
        String file = CheckingNet.compileCollNet(folder, 12).toString();
        assertSame(NetLibraries.find().openCollNet(file), NetLibraries.find().openCollNet(file));
        assertThrows(ProxyException.class, () -> NetLibraries.find().open(file));
        String net = CheckingNet.compile(folder, 12).toString();
        assertThrows(ProxyException.class, () -> NetLibraries.find().openCollNet(net));
        String broken = CheckingNet.compileCollNet(folder, 12, "-DWITHOUT=.test=NULL").toString();
        CollNetLibrary library = NetLibraries.find().openCollNet(broken);
        ProxyException failure = assertThrows(ProxyException.class, library::init);
        assertTrue(failure.getMessage().endsWith("lacks test"), failure.getMessage());
    }
}

/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.natives.plugin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.plugin.NetLibraries;
import io.proxyrt.core.plugin.NetLibrary;
import io.proxyrt.core.plugin.NetLibraryProperties;
import io.proxyrt.core.plugin.NetWords;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Each version's functions get what they expect, from a C compiler's view of the interface. */
class NetBindingTest {
    private static final int CALLS = 20_000;
    private static final long SENDER = 0x1000000010L;
    private static final long RECEIVER = 0x1100000010L;
    private static final long LISTENER = 0x1200000010L;
    private static final long DATA = 0x2000000020L;
    private static final long MHANDLE = 0x3000000030L;
    private static final long CONTEXT = 0x5000000050L;
    private static final long REQUEST = 0x7000000070L;
    private static final long LARGE = 0x300000003L;

    @TempDir
    private static Path folder;
    private final NetWords words = new NetWords();

    private static NetLibrary open(int version, String... options) {
        return NetLibraries.find().open(CheckingNet.compile(folder, version, options).toString());
    }

    private static NetLibrary initialized(int version) {
        NetLibrary library = open(version);
        assertEquals(version >= 11 ? CONTEXT : 0, library.init());
        return library;
    }

    @ParameterizedTest
    @ValueSource(ints = {6, 7, 8, 9, 10, 11, 12})
    void shouldReadWhatADeviceIs(int version) {
        NetLibrary library = initialized(version);

        assertEquals(new NetLibraryProperties("check0", "/sys/check", ~5L, 5, version >= 8, 123456, 777, 6,
                version >= 7 ? 1 : 0, version >= 7 ? 7 : 0, version >= 9 ? 1L << 40 : 1L << 30,
                version >= 9 ? 1L << 41 : 512 << 20),
                library.properties(200));
        assertEquals("Checking", library.name());
        assertEquals(version, library.version());
    }

    @ParameterizedTest
    @ValueSource(ints = {6, 12})
    void shouldReadADeviceOfWhichNothingIsSaid(int version) {
        NetLibraryProperties nothing = initialized(version).properties(100);

        assertEquals(new NetLibraryProperties(null, null, 0, 0, false, 0, 0, 0, 0, 0, version == 6 ? 1L << 30 : 0,
                version == 6 ? 512 << 20 : 0),
                nothing);
    }

    @ParameterizedTest
    @ValueSource(ints = {6, 7, 8, 9, 10, 11, 12})
    void shouldSetUpAConnectionAndTakeItDown(int version) {
        NetLibrary library = initialized(version);
        long context = version >= 11 ? CONTEXT : 0;
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment handle = arena.allocate(NetLibrary.HANDLE_BYTES);
            assertEquals(LISTENER, library.listen(context, 2, handle));
            assertEquals(0x5a, handle.get(ValueLayout.JAVA_BYTE, NetLibrary.HANDLE_BYTES - 1));
            assertEquals(0, library.connect(context, 2, handle));
            assertEquals(SENDER, library.connect(context, 2, handle));
        }
        assertEquals(RECEIVER, library.accept(LISTENER));
        assertEquals(MHANDLE, library.regMr(SENDER, DATA, version >= 8 ? LARGE : 1000));
        assertEquals(MHANDLE, library.regMrDmaBuf(SENDER, DATA, LARGE, 0x400000004L, 11));
        library.deregMr(SENDER, MHANDLE);
        library.closeSend(SENDER);
        library.closeRecv(RECEIVER);
        library.closeListen(LISTENER);
        library.finish(context);
        assertEquals(version >= 11 ? 110 : 100, library.devices());
    }

    @ParameterizedTest
    @ValueSource(ints = {6, 7, 8, 9, 10, 11, 12})
    void shouldPostAndTestMessages(int version) {
        NetLibrary library = initialized(version);
        long bytes = version >= 9 ? LARGE : 1000;

        assertEquals(0, library.isend(SENDER, DATA, bytes, -7, MHANDLE, words), library.lastWarning());
        assertEquals(REQUEST, words.request());
        group(bytes);
        words.request(NetLibrary.OPTIONAL_RECV_COMPLETION);
        assertEquals(0, library.irecv(RECEIVER, NetWords.MAX_RECVS, words), library.lastWarning());
        assertEquals(REQUEST, words.request());
        words.beforeTest(NetWords.MAX_RECVS);
        assertEquals(0, library.test(REQUEST, words), library.lastWarning());
        assertTrue(words.isDone());
        assertEquals(List.of(12, -1, 34), List.of(words.actual(0), words.actual(1), words.actual(7)));
        group(1000);
        assertEquals(0, library.iflush(RECEIVER, 2, words), library.lastWarning());
        assertEquals(0, words.request());
        assertEquals(0, library.irecvConsumed(RECEIVER, 3, REQUEST), library.lastWarning());
        assertEquals(version >= 7 ? 101 : 100, library.devices());
    }

    private void group(long bytes) {
        for (int i = 0; i < NetWords.MAX_RECVS; i++) {
            words.message(i, DATA + i, bytes + i, -i, MHANDLE + i);
        }
    }

    @Test
    void shouldInitializeOnceInTheProcessBeforeVersion11AndEachTimeFromThenOn() {
        for (int version : new int[] {6, 10, 11, 12}) {
            NetLibrary library = initialized(version);
            assertEquals(version >= 11 ? CONTEXT : 0, library.init());
            assertEquals(version >= 11 ? 200 : 100, library.devices(), "version " + version);
        }
    }

    @Test
    void shouldTakeTheNewestVersionThereIs() {
        assertEquals(9, open(9, "-DOLDER=6").version());
        assertEquals(12, open(12, "-DOLDER=11").version());
    }

    @Test
    void shouldOpenALibraryOnce() {
        String file = CheckingNet.compile(folder, 8).toString();

        assertSame(NetLibraries.find().open(file), NetLibraries.find().open(file));
    }

    @Test
    void shouldSayWhyALibraryCannotBeLoaded() {
        assertRefused(ProxyResult.SYSTEM_ERROR, "libnccl-net-none.so: cannot open shared object file",
                () -> NetLibraries.find().open("libnccl-net-none.so"));
        assertRefused(ProxyResult.SYSTEM_ERROR, "undefined symbol: missing_function",
                () -> open(8, "-Dmemset(a,b,c)=missing_function()", "-Wno-implicit-function-declaration"));
    }

    @Test
    void shouldSayWhatALibraryLacks() {
        assertRefused(ProxyResult.INVALID_USAGE, "it exports none of ncclNetPlugin_v12 to ncclNetPlugin_v6",
                () -> open(12, "-DncclNetPlugin_v12=something_else"));
        assertRefused(ProxyResult.INVALID_USAGE, " lacks init", () -> open(8, "-DWITHOUT=.init=NULL"));
        NetLibrary library = open(8, "-DWITHOUT=.isend=NULL,.test=NULL");
        assertRefused(ProxyResult.INVALID_USAGE, "ncclNetPlugin_v8 of " + library.file() + " lacks test, isend",
                library::init);
        NetLibrary newest = open(12, "-DWITHOUT=.isend=NULL");
        assertRefused(ProxyResult.INVALID_USAGE, " lacks isend", newest::init);
        assertEquals(110, newest.devices(), "finalized after it was initialized");
        assertRefused(ProxyResult.INVALID_USAGE, "ncclNetPlugin_v",
                () -> NetLibraries.find().open(NetLibraries.STATIC_PLUGIN));
    }

    @Test
    void shouldReadATableThatIsFilledByInit() {
        NetLibrary library = open(8, "-DFILLING");
        assertEquals("Empty", library.name());

        library.init();
        assertEquals("Checking", library.name());
        assertEquals(100, library.devices());
        assertEquals(MHANDLE, library.regMr(SENDER, DATA, LARGE));
    }

    @Test
    void shouldDoWithoutFunctionsThatNotEveryPlugInHas() {
        NetLibrary library = open(12, "-DWITHOUT=.iflush=NULL,.irecvConsumed=NULL,.finalize=NULL,.regMrDmaBuf=NULL");
        library.init();

        assertEquals(0, library.iflush(RECEIVER, 2, words));
        assertEquals(0, words.request());
        assertEquals(0, library.irecvConsumed(0, 0, 0));
        library.finish(0);
        assertRefused(ProxyResult.INVALID_USAGE, "regMrDmaBuf of Checking",
                () -> library.regMrDmaBuf(SENDER, DATA, 1, 0, 0));
    }

    @ParameterizedTest
    @ValueSource(ints = {6, 7})
    void shouldNotTellOldVersionsOfMoreMemoryThanAnIntCounts(int version) {
        NetLibrary library = initialized(version);

        assertRefused(ProxyResult.INVALID_ARGUMENT, "12884901891 bytes", () -> library.regMr(SENDER, DATA, LARGE));
    }

    @ParameterizedTest
    @ValueSource(ints = {6, 12})
    void shouldSayWhichFunctionFailedAndWhatThePlugInLogged(int version) {
        NetLibrary library = open(version, "-DFAILING=6");
        List<Executable> calls = new ArrayList<>(List.of(library::init, library::devices, () -> library.properties(0),
                () -> library.listen(0, 0, MemorySegment.NULL), () -> library.connect(0, 0, MemorySegment.NULL),
                () -> library.accept(0), () -> library.regMr(0, 0, 1), () -> library.regMrDmaBuf(0, 0, 0, 0, 0),
                () -> library.deregMr(0, 0), () -> library.closeSend(0), () -> library.closeRecv(0),
                () -> library.closeListen(0)));
        List<String> names = List.of("init", "devices", "getProperties", "listen", "connect", "accept", "regMr",
                "regMrDmaBuf", "deregMr", "closeSend", "closeRecv", "closeListen");
        for (int i = 0; i < calls.size(); i++) {
            assertRefused(ProxyResult.REMOTE_ERROR, names.get(i) + " of Checking (" + library.file() + ", ncclNet_v"
                    + version + ") returned 6, REMOTE_ERROR; its last warning was: ", calls.get(i));
        }
        assertEquals(6, library.isend(0, 0, 0, 0, 0, words));
        assertEquals("isend fails", library.lastWarning());
        assertEquals(6, library.irecv(0, 0, words));
        assertEquals(6, library.iflush(0, 0, words));
        assertEquals(6, library.test(0, words));
        assertEquals("test fails", library.lastWarning());
        assertEquals(version >= 7 ? 6 : 0, library.irecvConsumed(0, 0, 0));
    }

    @Test
    void shouldTakeCodesForWhatNcclTakesThemFor() {
        NetLibrary inProgress = open(12, "-DFAILING=7");
        inProgress.init();
        assertEquals(0, inProgress.connect(0, 0, MemorySegment.NULL));
        assertRefused(ProxyResult.INTERNAL_ERROR, "returned 8,", open(12, "-DFAILING=8")::init);
        assertRefused(ProxyResult.INTERNAL_ERROR, "returned -1,", open(12, "-DFAILING=-1")::init);
    }

    @ParameterizedTest
    @ValueSource(ints = {6, 12})
    void shouldNotAllocateOnTheDataPath(int version) {
        var threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        NetLibrary library = initialized(version);
        long bytes = version >= 9 ? LARGE : 1000;
        long allocated = Long.MAX_VALUE;
        for (int round = 0; round < 100 && allocated > CALLS; round++) {
            long before = threads.getCurrentThreadAllocatedBytes();
            for (int call = 0; call < CALLS; call++) {
                exchange(library, bytes);
            }
            allocated = threads.getCurrentThreadAllocatedBytes() - before;
        }
        assertTrue(allocated <= CALLS, CALLS + " messages allocated " + allocated + " bytes");
    }

    private void exchange(NetLibrary library, long bytes) {
        int code = library.isend(SENDER, DATA, bytes, -7, MHANDLE, words);
        group(bytes);
        words.request(1);
        code |= library.irecv(RECEIVER, NetWords.MAX_RECVS, words);
        words.beforeTest(NetWords.MAX_RECVS);
        code |= library.test(REQUEST, words);
        code |= library.irecvConsumed(RECEIVER, 3, REQUEST);
        group(1000);
        code |= library.iflush(RECEIVER, 2, words);
        assertEquals(0, code);
    }

    private static void assertRefused(ProxyResult result, String part, Executable call) {
        ProxyException failure = assertThrows(ProxyException.class, call);
        assertEquals(result, failure.result(), failure.getMessage());
        assertTrue(failure.getMessage().contains(part), failure.getMessage());
    }
}

/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.socket;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.proxyrt.transport.net.socket.SocketSettings.Sharing;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SocketLayoutTest {
    @ParameterizedTest
    @CsvSource({
        // threads, per thread, vendor, processors: sockets, threads
        "-2, -2, '',     2,  0, 0",
        "-2, -2, 0x8086, 64, 0, 0",
        "-2, -2, 0x1d0f, 64, 16, 2",
        "-2, -2, 0x1d0f, 8,  16, 2",
        "-2, -2, 0x1d0f, 7,  16, 0",
        "-2, -2, 0x1ae0, 16, 4, 4",
        "-2, -2, 0x1ae0, 15, 4, 0",
        "0,  -2, '',     64, 0, 0",
        "0,  0,  '',     64, 0, 0",
        "0,  1,  '',     64, 0, 0",
        "0,  2,  '',     64, 2, 0",
        "1,  1,  '',     2,  1, 1",
        "2,  -2, '',     2,  2, 2",
        "3,  0,  '',     2,  0, 0",
        "4,  16, '',     2,  64, 4",
        "4,  17, '',     2,  64, 4",
        "16, 4,  '',     2,  64, 16",
        "17, 4,  '',     2,  64, 16",
        "16, 100,'',     2,  64, 16",
        "5,  100,'',     2,  60, 5",
        "0,  1000000, '', 2, 64, 0",
        "1000000, 1000000, '', 2, 64, 16",
        "-2, 3,  0x1d0f, 64, 6, 2",
        "2, -2,  0x1d0f, 2,  16, 2"})
    void shouldUseWhatIsSetWithinItsLimitsAndWhatFitsTheHostOtherwise(int threads, int perThread, String vendor,
            int processors, int expectedSockets, int expectedThreads) {
        SocketLayout layout = SocketLayout.of(new Sharing(threads, perThread, 1, 1), vendor, false, processors);

        assertEquals(expectedSockets, layout.sockets(), layout.toString());
        assertEquals(expectedThreads, layout.threads(), layout.toString());
    }

    /** With several connections, one thread would be the limit. */
    @ParameterizedTest
    @CsvSource({
        "-2, '',     32, 1, 1",
        "-2, '',     16, 1, 1",
        "-2, '',     15, 0, 0",
        "-2, 0x1af4, 32, 1, 1",
        "-2, 0x1d0f, 32, 16, 2",
        "0,  '',     32, 0, 0",
        "4,  '',     32, 4, 4"})
    void shouldGiveConnectionsOfAFastNetworkAThreadEach(int threads, String vendor, int processors,
            int expectedSockets, int expectedThreads) {
        SocketLayout layout = SocketLayout.of(new Sharing(threads, -2, 1, 1), vendor, true, processors);

        assertEquals(expectedSockets, layout.sockets(), layout.toString());
        assertEquals(expectedThreads, layout.threads(), layout.toString());
    }
}

/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import io.proxyrt.collectives.gpu.LaunchArguments;

/**
 * Tells a GPU's kernel the messages of a launch: the first each way among its parameters, the others in a table, those
 * in before those out.
 */
final class MessageTable {
    /** Each way, beside the first; so that what is launched first moves while the rest is put together. */
    private static final int MORE = 63;
    private static final int WORDS = 5;
    private static final int LIST = 2 * WORDS;
    static final long LIST_BYTES = 2L * MORE * WORDS * Long.BYTES;

    private final LaunchTables tables;
    /** In, then out. */
    private final Way[] ways = {new Way(), new Way()};

    MessageTable(LaunchTables tables) {
        this.tables = tables;
    }

    /** The messages one way. */
    private static final class Way {
        private final long[] words = new long[(1 + MORE) * WORDS];
        private int count;
        private int channels;

        int more() {
            return Math.max(0, count - 1);
        }
    }

    void begin() {
        for (Way way : ways) {
            way.count = 0;
            way.channels = 0;
        }
    }

    boolean hasRoom(boolean isSend) {
        return ways[isSend ? 1 : 0].count <= MORE;
    }

    void add(boolean isSend, int channels, long first, long buffer, long bytes, long how, long llBytes) {
        Way way = ways[isSend ? 1 : 0];
        int at = way.count++ * WORDS;
        way.words[at] = first;
        way.words[at + 1] = buffer;
        way.words[at + 2] = bytes;
        way.words[at + 3] = how;
        way.words[at + 4] = llBytes;
        way.channels = Math.max(way.channels, channels);
    }

    /** Fills a kernel's parameters. Returns how many blocks it takes; 0 if there are no messages. */
    int finish(LaunchArguments arguments) {
        for (int way = 0; way < 2; way++) {
            for (int word = 0; word < WORDS && ways[way].count > 0; word++) {
                arguments.set(way * WORDS + word, ways[way].words[word]);
            }
            arguments.set(LIST + 1 + way, ways[way].more());
            arguments.set(LIST + 3 + way, ways[way].channels);
        }
        arguments.set(LIST, ways[0].more() + ways[1].more() == 0 ? 0 : list());
        return ways[0].channels + ways[1].channels;
    }

    /** The device's address of what is no parameter. */
    private long list() {
        long address = tables.begin();
        for (Way way : ways) {
            for (int i = WORDS; i < way.count * WORDS; i++) {
                tables.add(way.words[i]);
            }
        }
        return address;
    }
}

/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.platform;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.Subsystem;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.slf4j.Logger;

/**
 * An arena that many mappings have together. Closing one is a handshake with each thread of the process, so that as
 * many ranks in a process, each with arenas of its own, would take the square of their number. A mapping that leaves
 * gets empty pages in the place of its own, which go back to the system at once: a late use finds zeros, and reaches
 * the memory of no other. The addresses go with the arena, which the last one closes. Any thread.
 */
public final class MappingBatch {
    private static final Logger LOGGER = Subsystem.ALLOC.logger();
    private static final int MOST = 256;
    /** Native calls count in the arena that they use its memory: ranks shall not do so in the same one, if few. */
    private static final MappingBatch[] JOINED = new MappingBatch[16];

    private final HostPages pages;
    private final Arena arena = Arena.ofShared();
    private final int place;
    private int joined;
    private int members;

    private MappingBatch(HostPages pages, int place) {
        this.pages = pages;
        this.place = place;
    }

    /**
     * Joins the batch that is filled now.
     *
     * @param pages of this host
     * @param rank  whose mapping it is to be
     * @return to be {@linkplain #leave left} once
     */
    public static MappingBatch join(HostPages pages, int rank) {
        synchronized (JOINED) {
            int place = Math.floorMod(rank, JOINED.length);
            MappingBatch batch = JOINED[place];
            if (batch == null || batch.joined == MOST || batch.pages != pages) {
                batch = new MappingBatch(pages, place);
                JOINED[place] = batch;
            }
            batch.joined++;
            batch.members++;
            return batch;
        }
    }

    /**
     * What to map in.
     *
     * @return shared; not to be closed
     */
    public Arena arena() {
        return arena;
    }

    /**
     * Gives a mapping back.
     *
     * @param mapping all of it; null if it was not made
     */
    public void leave(MemorySegment mapping) {
        if (mapping != null) {
            try {
                pages.empty(mapping);
            } catch (ProxyException e) {
                LOGGER.warn("memory stays until others are given back that were mapped with it: {}", e.getMessage());
            }
        }
        if (isLast()) {
            end();
        }
    }

    private boolean isLast() {
        synchronized (JOINED) {
            members--;
            assert members >= 0 : members;
            if (members == 0 && JOINED[place] == this) {
                JOINED[place] = null;
            }
            return members == 0;
        }
    }

    private void end() {
        try {
            Arenas.close(arena);
        } catch (IllegalStateException e) {
            LOGGER.warn("the addresses of memory that was given back stay taken: {}", e.getMessage());
        }
    }
}

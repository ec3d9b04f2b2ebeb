/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bootstrap;

import io.proxyrt.core.progress.PeerInfo;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** What all ranks of a job told of themselves. Ranks of one process that were told the same share it. Immutable. */
final class PeerTable {
    /** Those that a rank of this process has. */
    private static final List<WeakReference<PeerTable>> KNOWN = new ArrayList<>();

    private final byte[][] told;
    private final PeerInfo[] infos;

    private PeerTable(byte[][] told, PeerInfo... infos) {
        this.told = told;
        this.infos = infos;
    }

    /**
     * Reads what was told; throws {@code REMOTE_ERROR} if a rank told nonsense.
     *
     * @param told by rank; this object's from now on
     */
    static PeerTable of(byte[]... told) {
        synchronized (KNOWN) {
            PeerTable found = null;
            for (WeakReference<PeerTable> reference : KNOWN) {
                PeerTable known = reference.get();
                if (found == null && known != null && Arrays.deepEquals(known.told, told)) {
                    found = known;
                }
            }
            KNOWN.removeIf(reference -> reference.refersTo(null));
            if (found == null) {
                found = new PeerTable(told, Arrays.stream(told).map(PeerInfo::decode).toArray(PeerInfo[]::new));
                KNOWN.add(new WeakReference<>(found));
            }
            return found;
        }
    }

    /** Of a group of these ranks, by its numbers. */
    PeerTable some(int... ranks) {
        return new PeerTable(new byte[0][], Arrays.stream(ranks).mapToObj(this::info).toArray(PeerInfo[]::new));
    }

    int nRanks() {
        return infos.length;
    }

    PeerInfo info(int rank) {
        return infos[rank];
    }
}

/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.peers;

import io.proxyrt.core.progress.PeerInfo;
import io.proxyrt.core.progress.PeerProcess;
import io.proxyrt.core.runtime.TransportVerdict;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/**
 * All ranks, and what each says of each other. Its components are the fields of the JSON document.
 *
 * @param ranks   by rank
 * @param choices of each rank for each other
 */
record PeersView(List<Rank> ranks, List<Choice> choices) {
    /** A rank, and what transports judge it by; as in {@link PeerInfo} and {@link PeerProcess}. */
    record Rank(int rank, String host, String hostId, long pid, String processId, int uid, long shmId, long netId,
            String service, String uds) {
        static Rank of(RankView view) {
            PeerProcess process = view.info().process();
            return new Rank(view.info().rank(), view.host(), HexFormat.of().toHexDigits(process.hostHash()),
                    process.pid(), HexFormat.of().toHexDigits(process.id()), process.uid(), process.shmId(),
                    process.netId(), view.info().service().toString(), view.info().uds());
        }
    }

    /** What a rank chose for a peer, empty if nothing, and what it says of each transport. */
    record Choice(int rank, int peer, String chosen, List<Transport> transports) {
    }

    /** As {@link TransportVerdict}. */
    record Transport(String name, boolean isChosen, String whyNot, String how) {
        static Transport of(TransportVerdict verdict) {
            return new Transport(verdict.name(), verdict.isChosen(), verdict.whyNot(), verdict.how());
        }
    }

    static PeersView of(List<RankView> views) {
        List<Choice> choices = new ArrayList<>();
        for (RankView view : views) {
            int rank = view.info().rank();
            for (int peer = 0; peer < views.size(); peer++) {
                if (peer != rank) {
                    choices.add(new Choice(rank, peer, view.chosen(peer),
                            view.verdicts().get(peer).stream().map(Transport::of).toList()));
                }
            }
        }
        return new PeersView(views.stream().map(Rank::of).toList(), choices);
    }
}

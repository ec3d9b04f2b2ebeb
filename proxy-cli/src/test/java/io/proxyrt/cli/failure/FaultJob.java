/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.failure;

import io.proxyrt.bootstrap.BootstrapRoot;
import io.proxyrt.cli.failure.FaultCell.Api;
import io.proxyrt.testkit.ChildJvm;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Ranks in processes of their own, of which rank 1 comes to harm. */
final class FaultJob implements AutoCloseable {
    static final int VICTIM = 1;

    private final List<ChildJvm> ranks = new ArrayList<>();
    private BootstrapRoot root;

    /** Ranks that wait to be connected; rank 1 is started with a prefix of its own, and short of something. */
    FaultJob(int nRanks, List<String> prefix, String shortage, Path folder, List<String> options) throws IOException {
        try {
            for (int rank = 0; rank < nRanks; rank++) {
                List<String> arguments = new ArrayList<>(List.of(Integer.toString(rank), Integer.toString(nRanks),
                        folder.toString(), rank == VICTIM ? shortage : ""));
                arguments.addAll(options);
                ranks.add(new ChildJvm(rank == VICTIM ? prefix : List.of(), FaultChild.class,
                        arguments.toArray(String[]::new)));
            }
        } catch (IOException e) {
            close();
            throw e;
        }
    }

    void connect(Api api, String transport) {
        if (api == Api.COMMUNICATOR) {
            root = BootstrapRoot.open(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), ranks.size());
            ranks.forEach(rank -> rank.tell("join " + root.id()));
        } else {
            ranks.forEach(rank -> rank.tell("connect " + transport));
            exchange();
            exchange();
        }
    }

    /** Each of two ranks is told what the other says. */
    private void exchange() {
        String first = ranks.get(0).line();
        String second = ranks.get(1).line();
        ranks.get(0).tell(second);
        ranks.get(1).tell(first);
    }

    void awaitRunning() {
        ranks.forEach(rank -> rank.expect("running"));
    }

    ChildJvm victim() {
        return ranks.get(VICTIM);
    }

    List<ChildJvm> survivors() {
        List<ChildJvm> others = new ArrayList<>(ranks);
        others.remove(VICTIM);
        return others;
    }

    @Override
    public void close() {
        ranks.forEach(ChildJvm::close);
        if (root != null) {
            root.close();
        }
    }
}

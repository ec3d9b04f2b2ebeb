/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.peers;

import io.proxyrt.bootstrap.Bootstrap;
import io.proxyrt.bootstrap.BootstrapOptions;
import io.proxyrt.bootstrap.UniqueId;
import io.proxyrt.cli.about.Host;
import io.proxyrt.cli.launch.RankConfigs;
import io.proxyrt.cli.launch.RankOutcome;
import io.proxyrt.cli.launch.RankTask;
import io.proxyrt.cli.view.Destination;
import io.proxyrt.cli.view.Json;
import io.proxyrt.collectives.CollectivesOptions;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.progress.PeerInfo;
import io.proxyrt.core.runtime.ProxyState;
import io.proxyrt.core.runtime.TransportVerdict;
import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * Asks every rank which transport it would use with each other. The ranks start their runtimes and tell each other who
 * they are, but connect nothing: so it works where connecting fails.
 */
public final class PeersTask implements RankTask {
    private final RankConfigs configs;
    private final Optional<Destination> json;
    private final PrintStream out;
    private final PrintStream err;

    /**
     * Describes the question.
     *
     * @param configs of the runtimes
     * @param json   document that rank 0 writes, instead of what it prints if it is for the standard output
     * @param out    where rank 0 prints
     * @param err    where ranks say why they failed
     */
    public PeersTask(RankConfigs configs, Optional<Destination> json, PrintStream out, PrintStream err) {
        this.configs = configs;
        this.json = json;
        this.out = out;
        this.err = err;
    }

    @Override
    public String command() {
        return "proxyrt info peers";
    }

    @Override
    public ProxyConfig config() {
        return configs.common();
    }

    @Override
    public RankOutcome run(UniqueId id, int rank, int nRanks, Runnable onJoined) {
        Duration timeout = configs.common().get(BootstrapOptions.JOIN_TIMEOUT);
        try (Bootstrap bootstrap = Bootstrap.join(id, rank, nRanks, timeout, configs.common())) {
            onJoined.run();
            return ask(bootstrap);
        } catch (ProxyException e) {
            if (Thread.interrupted()) {
                return RankOutcome.INTERRUPTED;
            }
            err.println(command() + ": rank " + rank + ": " + e.getMessage());
            return RankOutcome.FAILED;
        }
    }

    private RankOutcome ask(Bootstrap bootstrap) {
        try (ProxyState proxy = ProxyState.builder().rank(bootstrap.rank(), bootstrap.nRanks())
                .config(configs.of(bootstrap.rank()))
                .start()) {
            List<RankView> views = views(bootstrap, proxy);
            if (bootstrap.rank() != 0) {
                return RankOutcome.OK;
            }
            if (Destination.leavesStandardOutput(json)) {
                new PeersReport(out, configs.common().get(CollectivesOptions.TRANSPORT)).print(views);
            }
            json.ifPresent(file -> file.write(Json.text(PeersView.of(views))));
            return PairClass.of(views).stream().allMatch(PairClass::canConnect) ? RankOutcome.OK
                    : RankOutcome.WRONG_DATA;
        } catch (ProxyException e) {
            bootstrap.abort(e.getMessage());
            throw e;
        }
    }

    /** The second round keeps every runtime until all have been asked. */
    private List<RankView> views(Bootstrap bootstrap, ProxyState proxy) {
        Duration timeout = configs.common().get(CollectivesOptions.TIMEOUT);
        String wanted = configs.common().get(CollectivesOptions.TRANSPORT);
        List<PeerInfo> peers = Arrays.stream(bootstrap.allGather(proxy.peerInfo().encode(), timeout))
                .map(PeerInfo::decode).toList();
        List<List<TransportVerdict>> verdicts = new ArrayList<>();
        for (PeerInfo peer : peers) {
            verdicts.add(peer.rank() == proxy.rank() ? List.of()
                    : proxy.explain(peer, wanted.isEmpty() ? null : wanted));
        }
        byte[] mine = new RankView(proxy.peerInfo(), Host.name(), verdicts).encode();
        return Arrays.stream(bootstrap.allGather(mine, timeout)).map(RankView::decode).toList();
    }
}

/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.rig;

import io.proxyrt.core.PeerId;
import io.proxyrt.core.agent.Agent;
import io.proxyrt.core.agent.thread.AgentRunner;
import io.proxyrt.core.agent.thread.ThreadSetup;
import io.proxyrt.core.config.JobSecret;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.platform.Platform;
import io.proxyrt.core.service.RpcHandler;
import io.proxyrt.core.service.ServiceEndpoint;
import io.proxyrt.core.service.ServiceEndpointProvider;
import io.proxyrt.core.service.UdsEndpoint;
import io.proxyrt.core.service.UdsEndpointProvider;
import io.proxyrt.core.service.UdsHandler;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Map;
import java.util.ServiceLoader;

/** One rank of a made-up job: its identity, its settings, and the wires that it opens. */
final class Rank {
    /** For whatever has to happen at once, on a machine that may be busy. */
    static final Duration PATIENCE = Duration.ofSeconds(20);
    static final JobSecret SECRET = JobSecret.of("the ranks of proxyrt bench".getBytes(StandardCharsets.UTF_8));

    private final PeerId self;
    private final ProxyConfig config;
    private final JobSecret secret;
    private final Platform platform = Platform.find();

    /** Options by their keys. */
    Rank(int number, JobSecret secret, Map<String, String> options) {
        ProxyConfig.Builder builder = ProxyConfig.builder().environment(Map.of());
        options.forEach(builder::set);
        this.self = new PeerId(number, new SecureRandom().nextLong());
        this.secret = secret;
        this.config = builder.build();
    }

    int number() {
        return self.rank();
    }

    ProxyConfig config() {
        return config;
    }

    Platform platform() {
        return platform;
    }

    ServiceEndpoint openService(RpcHandler handler) {
        return ServiceLoader.load(ServiceEndpointProvider.class).findFirst()
                .orElseThrow(() -> new IllegalStateException("proxy-rpc is not on the class path"))
                .open(config, self, secret, handler);
    }

    UdsEndpoint openUds(UdsHandler handler) {
        return ServiceLoader.load(UdsEndpointProvider.class).findFirst()
                .orElseThrow(() -> new IllegalStateException("proxy-uds is not on the class path"))
                .open(config, self, secret, platform, handler);
    }

    /** Gives an agent a thread of its own, as a runtime does; a bug ends the process. */
    AgentRunner start(Agent agent) {
        AgentRunner runner = new AgentRunner(agent, ThreadSetup.of(platform, config, self.rank()),
                ThreadSetup.Duty.CONTROL, ThreadSetup.idle(config, ThreadSetup.Duty.CONTROL), Rank::die);
        runner.start();
        return runner;
    }

    static void end(AgentRunner runner) {
        runner.stop(() -> true);
        if (!runner.join(PATIENCE)) {
            throw new IllegalStateException(runner + " did not end within " + PATIENCE);
        }
    }

    private static void die(Throwable bug) {
        bug.printStackTrace();
        Runtime.getRuntime().halt(1);
    }
}

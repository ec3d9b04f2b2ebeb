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
record Rank(PeerId self, JobSecret secret, ProxyConfig config, Platform platform) {
    /** For whatever has to happen at once, on a machine that may be busy. */
    static final Duration PATIENCE = Duration.ofSeconds(20);
    static final JobSecret SECRET = JobSecret.of("the ranks of proxyrt bench".getBytes(StandardCharsets.UTF_8));

    /** Options by their keys. */
    Rank(int number, JobSecret secret, Map<String, String> options) {
        this(new PeerId(number, new SecureRandom().nextLong()), secret, RigArguments.config(options).build(),
                Platform.find());
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
    Running start(Agent agent) {
        AgentRunner runner = new AgentRunner(agent, ThreadSetup.of(platform, config, self.rank()),
                ThreadSetup.Duty.CONTROL, ThreadSetup.idle(config, ThreadSetup.Duty.CONTROL), bug -> {
                    bug.printStackTrace();
                    Runtime.getRuntime().halt(1);
                });
        runner.start();
        return new Running(runner);
    }

    /** Does so in a process of its own, and says to the rig where it listens. */
    Running serve(Agent agent, String where, Talk rig) {
        Running running = start(agent);
        running.runner().awaitSetUp();
        rig.tell(where);
        return running;
    }

    /** An agent's thread, which ends when this is closed. */
    record Running(AgentRunner runner) implements AutoCloseable {
        @Override
        public void close() {
            runner.stop(() -> true);
            if (!runner.join(PATIENCE)) {
                throw new IllegalStateException(runner + " did not end within " + PATIENCE);
            }
        }
    }
}

/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.runtime;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.Subsystem;
import io.proxyrt.core.ThreadingMode;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.JobSecret;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.device.Device;
import io.proxyrt.core.device.host.Devices;
import io.proxyrt.core.diagnosis.RemoteRanks;
import io.proxyrt.core.progress.ProxyTransportProvider;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;

/** Describes a runtime; not thread-safe. */
public final class ProxyStateBuilder {
    private static final Logger LOGGER = Subsystem.INIT.logger();

    private int rank;
    private int nRanks = 1;
    private JobSecret secret;
    private String job = "";
    private ProxyConfig config;
    private Device device;
    private HostLoad load;
    private RemoteRanks remote = RemoteRanks.NONE;
    private final List<ProxyTransportProvider> transports = new ArrayList<>();

    ProxyStateBuilder() {
    }

    /**
     * Sets this rank's place in the job.
     *
     * @param rank   0 to nRanks - 1
     * @param nRanks at least 1
     * @return this
     */
    public ProxyStateBuilder rank(int rank, int nRanks) {
        if (rank < 0 || rank >= nRanks) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, "rank " + rank + " of " + nRanks);
        }
        this.rank = rank;
        this.nRanks = nRanks;
        return this;
    }

    /**
     * Sets what only the job's own ranks know.
     *
     * @param secret to know them by
     * @param job    a name for people
     * @return this
     */
    public ProxyStateBuilder job(JobSecret secret, String job) {
        this.secret = Arguments.require(secret, "secret");
        this.job = Arguments.require(job, "job");
        return this;
    }

    /**
     * Sets the configuration.
     *
     * @param config in place of the environment's
     * @return this
     */
    public ProxyStateBuilder config(ProxyConfig config) {
        this.config = Arguments.require(config, "config");
        return this;
    }

    /**
     * Sets the device whose kernels the runtime serves.
     *
     * @param device stays the caller's
     * @return this
     */
    public ProxyStateBuilder device(Device device) {
        this.device = Arguments.require(device, "device");
        return this;
    }

    /**
     * Sets who shares the host, for {@link ThreadingMode#AUTO}.
     *
     * @param load in place of {@link HostLoad#seen}, which knows nothing of jobs
     * @return this
     */
    public ProxyStateBuilder load(HostLoad load) {
        this.load = Arguments.require(load, "load");
        return this;
    }

    /**
     * Sets the way to ranks whose files this host does not have, for what commands ask of them.
     *
     * @param way of the job
     * @return this
     */
    @SuppressWarnings("exports") // Only the bootstrap calls it.
    public ProxyStateBuilder remote(RemoteRanks way) {
        this.remote = Arguments.require(way, "way");
        return this;
    }

    /**
     * Adds a transport to those that the modules provide; it takes the place of one with the same id.
     *
     * @param provider makes it
     * @return this
     */
    public ProxyStateBuilder transport(ProxyTransportProvider provider) {
        transports.add(Arguments.require(provider, "provider"));
        return this;
    }

    /**
     * Opens the service's socket, creates the mapped files and starts the threads.
     *
     * @return running; to be closed by the caller
     * @throws ProxyException {@link ProxyResult#SYSTEM_ERROR} if a port or a file cannot be had,
     *                        {@link ProxyResult#INVALID_USAGE} if a module is missing; what its threads are
     *                        refused of {@link CoreOptions#CPUSET}, {@link CoreOptions#REALTIME_PRIORITY}
     *                        and {@link CoreOptions#CPU_LATENCY}
     */
    public ProxyState start() {
        RuntimeLog.begins(rank);
        ProxyConfig asked = placed(config == null ? ProxyConfig.builder().build() : config);
        HostLoad known = load == null ? HostLoad.seen(asked) : load;
        ThreadingMode mode = asked.get(CoreOptions.THREADING);
        ThreadingChoice choice = ThreadingChoice.of(mode, isOnGpu(asked), known);
        HostWatch watch = new HostWatch(rank, choice, RuntimeCensus.of(asked)::alive);
        ProxyState started = new ProxyState(this, mode == choice.mode() ? asked
                : asked.with(CoreOptions.THREADING, choice.mode()), watch);
        RuntimeLog.started(started, this, choice);
        return started;
    }

    private ProxyConfig placed(ProxyConfig wanted) {
        NicAffinity affinity = NicAffinity.of(wanted, rank, transports);
        if (affinity.isRefused()) {
            LOGGER.warn("rank {}: {}: {}", rank, CoreOptions.NIC_AFFINITY, affinity);
        } else if (affinity.isAskedFor()) {
            LOGGER.info("rank {}: {}: {}", rank, CoreOptions.NIC_AFFINITY, affinity);
        }
        return affinity.config();
    }

    int rank() {
        return rank;
    }

    int nRanks() {
        return nRanks;
    }

    RemoteRanks remote() {
        return remote;
    }

    String job() {
        return job;
    }

    Device device() {
        return device;
    }

    List<ProxyTransportProvider> transports() {
        return transports;
    }

    private boolean isOnGpu(ProxyConfig asked) {
        String kind = device == null ? asked.get(CoreOptions.DEVICE) : device.attributes().kind();
        return !kind.equalsIgnoreCase(Devices.HOST);
    }

    JobSecret secret(ProxyConfig effective) {
        return secret != null ? secret : JobSecret.of(effective).orElseGet(JobSecret::random);
    }
}

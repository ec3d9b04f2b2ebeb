/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bootstrap;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.Subsystem;
import io.proxyrt.core.agent.Uninterruptibly;
import io.proxyrt.core.auth.PeerText;
import io.proxyrt.core.auth.Refusals;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.platform.DescriptorLimit;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;

/**
 * Where the ranks of one job meet: takes them in, serves their rounds and messages, and tells all of them when one dies
 * or does not come. Opened by rank 0 or by a launcher, before or after the ranks begin to join.
 *
 * <p>Runs one daemon thread, {@code proxy-bootstrap-root}, until closed. All methods are thread-safe. Once the job has
 * failed, the root stays only to tell latecomers why.
 */
public final class BootstrapRoot implements AutoCloseable {
    static final Logger LOG = Subsystem.BOOTSTRAP.logger();
    static final Duration LINGER = Duration.ofSeconds(2);
    private static final long JOIN_EXTRA_MILLIS = 1000;
    private static final int BACKLOG = 4096;
    /** From so many ranks on the root does not send the blobs of all ranks to each. */
    private static final int LARGE = 512;
    private static final int FAN = 16;

    private final UniqueId id;
    private final InetSocketAddress address;
    private final Job job;
    private final RootAgent agent;
    private final Thread thread;
    private final AtomicBoolean isClosed = new AtomicBoolean();

    private BootstrapRoot(Poller poller, Poller.Listener listener, UniqueId wanted, Credential credential, Job job,
            BootstrapConfig config, Logger log) {
        this.address = listener.address();
        this.id = wanted.at(wanted.address().isUnresolved()
                ? InetSocketAddress.createUnresolved(wanted.address().getHostString(), address.getPort()) : address);
        this.job = job;
        this.agent = new RootAgent(poller, listener, RootAgent.name(id.address()), credential, job, config,
                new Refusals(log, "closed a connection from"));
        this.thread = Thread.ofPlatform().daemon().name("proxy-bootstrap-root").unstarted(agent);
    }

    /**
     * Opens the root of a new job with the default configuration, and the secret of the environment if there is one.
     *
     * @param address where to listen; port 0 for any free one
     * @param nRanks  how many ranks the job has; positive
     * @return an open root; {@link #id()} is a credential, for the ranks only
     * @throws ProxyException as {@link #open(UniqueId, int, BootstrapConfig, ProxyConfig)}
     */
    public static BootstrapRoot open(InetSocketAddress address, int nRanks) {
        return open(UniqueId.random(address), nRanks, BootstrapConfig.defaults());
    }

    /**
     * Opens the root of a job whose id is known already, with the secret of the environment if there is one.
     *
     * @param id     which job, and where to listen: an address of this host or the wildcard; port 0 for any free one
     * @param nRanks how many ranks the job has; positive
     * @param config intervals and limits, for the root and all ranks
     * @return an open root
     * @throws ProxyException as {@link #open(UniqueId, int, BootstrapConfig, ProxyConfig)}
     */
    public static BootstrapRoot open(UniqueId id, int nRanks, BootstrapConfig config) {
        return open(id, nRanks, config, ProxyConfig.builder().build());
    }

    /**
     * Opens the root of a job whose id is known already, as after {@link UniqueId#of}. Does not wait for any rank.
     *
     * @param id       which job, and where to listen: an address of this host or the wildcard; port 0 for any free one
     * @param nRanks   how many ranks the job has; positive
     * @param config   intervals and limits, for the root and all ranks
     * @param settings with the secret of the job, if the ranks have one, and the users of this host who may join
     * @return an open root
     * @throws ProxyException {@code SYSTEM_ERROR} when the address cannot be listened at, saying which and what to do;
     *                        {@code INVALID_ARGUMENT} when there is to be no rank, or the secret cannot be read;
     *                        {@code INVALID_USAGE} when other hosts can reach the address, the id was made of a name,
     *                        and there is no secret
     */
    public static BootstrapRoot open(UniqueId id, int nRanks, BootstrapConfig config, ProxyConfig settings) {
        return open(id, nRanks, config, Credential.of(id, settings), LOG);
    }

    /** As above, with another log for refused connections. */
    static BootstrapRoot open(UniqueId id, int nRanks, BootstrapConfig config, Credential credential,
            Logger unauthenticated) {
        return open(id, nRanks, config, credential, unauthenticated, fan(nRanks));
    }

    /** How many ranks are below each that passes answers on, in a job of this size; 0 if none does. */
    static int fan(int nRanks) {
        return nRanks < LARGE ? 0 : FAN;
    }

    /** As above, with so many ranks below each that passes answers on; 0 if none does. */
    static BootstrapRoot open(UniqueId id, int nRanks, BootstrapConfig config, Credential credential,
            Logger unauthenticated, int fan) {
        if (nRanks < 1) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, "a job has at least one rank, not " + nRanks);
        }
        final BootstrapConfig paced = config.forRanks(nRanks);
        final InetSocketAddress local = resolve(id.address());
        credential.requireFor(local.getAddress());
        Poller poller = null;
        Poller.Listener listener = null;
        BootstrapRoot root = null;
        try {
            poller = new SocketPoller();
            listener = poller.listen(local, BACKLOG);
            root = new BootstrapRoot(poller, listener, id, credential, new Job(nRanks, paced, fan), paced,
                    unauthenticated);
            root.thread.start();
            LOG.debug("{} waits for {} ranks", RootAgent.name(root.address), nRanks);
            if (credential.isGuessable()) {
                LOG.warn("{} has no secret, and its unique id follows from a name: only what the kernel tells of "
                        + "loopback sockets keeps processes of other users out; give the ranks a secret, see {}",
                        RootAgent.name(root.address), CoreOptions.SECRET_FILE);
            }
            return root;
        } catch (RuntimeException | Error e) {
            giveUp(poller, listener, root);
            throw e;
        } catch (IOException e) {
            giveUp(poller, listener, root);
            throw new ProxyException(ProxyResult.SYSTEM_ERROR, "the bootstrap root cannot listen at "
                    + PeerText.address(local) + ": " + e.getMessage() + DescriptorLimit.advice(e, "; choose an address"
                    + " of this host and a free port (port 0 takes any), or end what listens there (ss -ltnp shows"
                    + " it)"), e);
        }
    }

    private static InetSocketAddress resolve(InetSocketAddress address) {
        if (!address.isUnresolved()) {
            return address;
        }
        final InetSocketAddress resolved = new InetSocketAddress(address.getHostString(), address.getPort());
        if (resolved.isUnresolved()) {
            throw new ProxyException(ProxyResult.SYSTEM_ERROR, "the bootstrap root cannot listen at "
                    + PeerText.address(address) + ": no such host; give an address or a name of this host");
        }
        return resolved;
    }

    private static void giveUp(Poller poller, Poller.Listener listener, BootstrapRoot root) {
        if (root != null) {
            root.agent.shutdown();
            return;
        }
        if (listener != null) {
            listener.close();
        }
        if (poller != null) {
            poller.close();
        }
    }

    /**
     * What the ranks need to join: the address listened at, with its real port, and the key.
     *
     * @return the id; its text goes to the ranks, see {@link UniqueId} for how
     * @throws ProxyException {@code INVALID_USAGE} when the root listens at all addresses of its host, so that it does
     *                        not know under which one the ranks reach it: use {@link #id(String)}
     */
    public UniqueId id() {
        if (!id.address().isUnresolved() && address.getAddress().isAnyLocalAddress()) {
            throw new ProxyException(ProxyResult.INVALID_USAGE, RootAgent.name(address) + " listens at all addresses of"
                    + " its host; say with id(host) under which one the ranks reach it");
        }
        return id;
    }

    /**
     * As {@link #id()}, under another name of this host.
     *
     * @param host an IPv4 or IPv6 address, or a host name, by which the ranks reach the root
     * @return the id
     * @throws ProxyException {@code INVALID_ARGUMENT} when that can be neither
     */
    public UniqueId id(String host) {
        return id.at(UniqueId.address(host, address.getPort()));
    }

    /**
     * Where the root listens, with its real port; the wildcard address if it was opened there.
     *
     * @return the bound address
     */
    public InetSocketAddress address() {
        return address;
    }

    /**
     * How the job failed, as all ranks were told.
     *
     * @return empty while all is well
     */
    public Optional<ProxyException> failure() {
        return job.failure();
    }

    /** Closes as {@link #close(Duration)} with two seconds. */
    @Override
    public void close() {
        close(LINGER);
    }

    /**
     * Closes the root. Waits for ranks that are still joined to say goodbye, so that it can be closed while they do;
     * those that have not by the end of this time fail, and are told why. Does not wait when the job has failed or is
     * not yet complete. Idempotent; an interruption does not shorten it.
     *
     * @param linger how long to wait for ranks
     */
    public void close(Duration linger) {
        final long lingerNs = Deadline.nanos(linger);
        if (isClosed.compareAndSet(false, true)) {
            agent.close(lingerNs);
        }
        if (!Uninterruptibly.join(thread, Duration.ofNanos(lingerNs).plusMillis(JOIN_EXTRA_MILLIS))) {
            LOG.warn("{} did not end in time", RootAgent.name(address));
        }
    }
}

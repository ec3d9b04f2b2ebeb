/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bootstrap.launch;

import io.proxyrt.bootstrap.BootstrapConfig;
import io.proxyrt.bootstrap.BootstrapOptions;
import io.proxyrt.bootstrap.BootstrapRoot;
import io.proxyrt.bootstrap.UniqueId;
import io.proxyrt.bootstrap.launch.RankEnvironment.Launcher;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.config.ProxyConfig;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * Where the ranks that a launcher started meet. Rank 0 opens the bootstrap root there. The first of these that
 * is given:
 *
 * <ol>
 * <li>an address that the caller names, which the {@code proxyrt} command calls {@code --rendezvous}; {@code
 *     PROXYRT_COMM_ID}; {@code NCCL_COMM_ID}: {@code host:port}, of rank 0's host;
 * <li>all ranks on one host: a file in the runtime directory, with an address of rank 0's choice and a random id;
 * <li>torchrun's {@code MASTER_ADDR} and {@code MASTER_PORT}. The port itself is torchrun's own store if
 *     {@code TORCHELASTIC_USE_AGENT_STORE} is True; it is the next port then;
 * <li>Slurm: the first host of the step, with a port that follows from the job's number.
 * </ol>
 *
 * The id of ranks that meet at an address follows from what the launcher calls the run, which others can find out. So
 * they need a secret, unless they are on one host: then they meet at its loopback interface.
 *
 * <p>One thread at a time. At rank 0 it owns the {@link BootstrapRoot}, and its thread.
 */
public final class Rendezvous implements AutoCloseable {
    private static final int FIRST_PORT = 10_000;
    private static final int PORTS = 20_000;
    private static final String PARENT_ID = "PROXYRT_UNIQUE_ID";
    /** A key behind the port, as of a unique id, which does not belong here and must not be shown. */
    private static final Pattern KEY = Pattern.compile(":[^:\\]]{6,}$");
    private static final String ANY_KEY = ":" + "0".repeat(32);

    private final UniqueId id;
    private final BootstrapRoot root;
    private final RendezvousFile file;

    private Rendezvous(UniqueId id, BootstrapRoot root, RendezvousFile file) {
        this.id = id;
        this.root = root;
        this.file = file;
    }

    /**
     * Finds the place by the environment of this process, and prepares it at rank 0.
     *
     * @param self   this rank
     * @param config as of {@link #open(RankEnvironment, Map, String, ProxyConfig)}
     * @return to be closed after the ranks have left
     * @throws ProxyException as of that
     */
    public static Rendezvous open(RankEnvironment self, ProxyConfig config) {
        return open(self, System.getenv(), null, config);
    }

    /**
     * Finds the place, and prepares it at rank 0. Other ranks of one host block until rank 0 has done that, for {@link
     * BootstrapOptions#JOIN_TIMEOUT} at most.
     *
     * @param self        this rank
     * @param environment of the process
     * @param address     that the user gave, or null
     * @param config      says where the runtime directory is, how long to wait for rank 0, and the secret
     * @return to be closed after the ranks have left
     * @throws ProxyException {@link ProxyResult#INVALID_USAGE} if nothing tells where to meet, or other hosts can reach
     *                        the place and there is no secret; {@link ProxyResult#SYSTEM_ERROR} if rank 0 cannot
     *                        listen there; {@link ProxyResult#TIMEOUT} if it does not say where
     */
    public static Rendezvous open(RankEnvironment self, Map<String, String> environment, String address,
            ProxyConfig config) {
        String parent = environment.get(PARENT_ID);
        if (parent != null && self.launcher() == Launcher.PROXYRT) {
            return new Rendezvous(UniqueId.parse(parent), null, null);
        }
        String place = place(self, environment, address);
        if (place != null) {
            return at(self, id(place, self.job()), config);
        }
        if (self.job().isEmpty() || !self.isSingleHost()) {
            throw new ProxyException(ProxyResult.INVALID_USAGE, self.launcher().label() + " started rank "
                    + self.rank() + " of " + self.nRanks() + ", but nothing tells where the ranks meet: set "
                    + "PROXYRT_COMM_ID to a host:port of rank 0's host, or pass that as --rendezvous");
        }
        return byFile(self, config);
    }

    /**
     * Whether a parent process has started the ranks, and waits for them at the loopback interface.
     *
     * @param environment of the process
     * @return false if there is no such parent
     */
    public static boolean isWithinHost(Map<String, String> environment) {
        try {
            InetSocketAddress root = UniqueId.parse(environment.getOrDefault(PARENT_ID, "")).address();
            return !root.isUnresolved() && root.getAddress().isLoopbackAddress();
        } catch (ProxyException e) {
            return false;
        }
    }

    /**
     * What the ranks join with.
     *
     * @return the job's id
     */
    public UniqueId id() {
        return id;
    }

    /** All ranks have joined: removes the file by which they found rank 0, if there is one. Idempotent. */
    public void joined() {
        if (file != null) {
            file.close();
        }
    }

    /** Closes the root, if this rank has it, as {@link BootstrapRoot#close()} does. Idempotent. */
    @Override
    public void close() {
        joined();
        if (root != null) {
            root.close();
        }
    }

    /** {@code host:port}, or null if the environment names none. */
    static String place(RankEnvironment self, Map<String, String> environment, String address) {
        String place = address;
        for (String name : new String[] {"PROXYRT_COMM_ID", "NCCL_COMM_ID"}) {
            place = place == null || place.isBlank() ? environment.get(name) : place;
        }
        if (place != null && !place.isBlank()) {
            return place.strip();
        }
        return switch (self.launcher()) {
            case TORCHRUN -> self.isOneHost() ? null : master(environment);
            case SLURM -> self.isSingleHost() ? null : slurm(self, environment);
            case PROXYRT, OPEN_MPI, MPICH -> null;
        };
    }

    /** The id of the job that meets at {@code host:port}. */
    static UniqueId id(String place, String job) {
        try {
            return UniqueId.of(UniqueId.parse(place + ANY_KEY).address(), job);
        } catch (ProxyException e) {
            throw new ProxyException(ProxyResult.INVALID_USAGE, "rendezvous '" + KEY.matcher(place).replaceAll(":(key)")
                    + "' is no host:port, such as 10.0.0.1:29500, node1:29500 or [fe80::1]:29500", e);
        }
    }

    private static Rendezvous at(RankEnvironment self, UniqueId given, ProxyConfig config) {
        UniqueId id = self.isOneHost() ? given.at(new InetSocketAddress(InetAddress.getLoopbackAddress(),
                given.address().getPort())) : given;
        if (self.rank() != 0) {
            return new Rendezvous(id, null, null);
        }
        return new Rendezvous(id, BootstrapRoot.open(id.at(ListenAddress.of(id.address(), config)), self.nRanks(),
                BootstrapConfig.defaults(), config), null);
    }

    private static Rendezvous byFile(RankEnvironment self, ProxyConfig config) {
        RendezvousFile file = RendezvousFile.of(config, self.job());
        if (self.rank() != 0) {
            return new Rendezvous(file.await(config.get(BootstrapOptions.JOIN_TIMEOUT)), null, null);
        }
        BootstrapRoot root = BootstrapRoot.open(
                UniqueId.random(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)), self.nRanks(),
                BootstrapConfig.defaults(), config);
        try {
            file.write(root.id());
            return new Rendezvous(root.id(), root, file);
        } catch (RuntimeException | Error e) {
            root.close();
            throw e;
        }
    }

    private static String master(Map<String, String> environment) {
        String host = environment.get("MASTER_ADDR");
        String port = environment.get("MASTER_PORT");
        if (host == null || port == null || !port.strip().matches("\\d{1,5}")) {
            return null;
        }
        boolean isTaken = "True".equalsIgnoreCase(environment.get("TORCHELASTIC_USE_AGENT_STORE"));
        String name = host.strip().contains(":") ? '[' + host.strip() + ']' : host.strip();
        return name + ':' + (Integer.parseInt(port.strip()) + (isTaken ? 1 : 0));
    }

    private static String slurm(RankEnvironment self, Map<String, String> environment) {
        String nodes = environment.getOrDefault("SLURM_STEP_NODELIST", "");
        return SlurmNodes.firstHost(nodes)
                .map(host -> host + ':' + (FIRST_PORT + Math.floorMod(self.job().hashCode(), PORTS))).orElse(null);
    }
}

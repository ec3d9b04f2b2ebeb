/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.launch;

import io.proxyrt.bootstrap.UniqueId;
import io.proxyrt.collectives.Communicator;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.config.ProxyConfig;
import java.io.PrintStream;
import java.util.Objects;
import java.util.function.IntFunction;

/** Runs ranks of this process: they join, work, and leave, or say why not. */
public final class RankSession implements RankTask {
    private final String command;
    private final RankConfigs configs;
    private final PrintStream err;
    private final IntFunction<RankBody> bodies;

    /**
     * Describes the work.
     *
     * @param command what the user called, for messages
     * @param configs of the runtimes
     * @param err     where ranks say why they failed
     * @param bodies  what each rank does
     */
    public RankSession(String command, RankConfigs configs, PrintStream err, IntFunction<RankBody> bodies) {
        this.command = command;
        this.configs = configs;
        this.err = err;
        this.bodies = bodies;
    }

    @Override
    public String command() {
        return command;
    }

    @Override
    public ProxyConfig config() {
        return configs.common();
    }

    @Override
    public RankOutcome run(UniqueId id, int rank, int nRanks, Runnable onJoined) {
        RankBody body = bodies.apply(rank);
        try (Communicator comm = Communicator.init(id, rank, nRanks, configs.of(rank))) {
            onJoined.run();
            return work(comm, body);
        } catch (ProxyException e) {
            return failed(body, rank, e.getMessage(), null);
        } catch (RuntimeException | Error e) {
            return failed(body, rank, "internal error: " + e, e);
        }
    }

    private static RankOutcome work(Communicator comm, RankBody body) {
        try {
            RankOutcome outcome = body.run(comm);
            comm.barrier();
            return outcome;
        } catch (RuntimeException | Error e) {
            boolean isInterrupted = Thread.interrupted();
            comm.abort(isInterrupted ? "it was told to end" : Objects.requireNonNullElse(e.getMessage(), e.toString()));
            if (isInterrupted) {
                Thread.currentThread().interrupt();
            }
            throw e;
        }
    }

    private RankOutcome failed(RankBody body, int rank, String reason, Throwable bug) {
        boolean isInterrupted = Thread.interrupted();
        try {
            body.failed(isInterrupted ? "interrupted" : reason);
        } catch (ProxyException e) {
            err.println(command + ": " + e.getMessage());
        }
        if (isInterrupted) {
            return RankOutcome.INTERRUPTED;
        }
        err.println(command + ": " + (reason.startsWith("rank " + rank) ? "" : "rank " + rank + ": ") + reason);
        if (bug != null) {
            bug.printStackTrace(err);
        }
        return RankOutcome.FAILED;
    }
}

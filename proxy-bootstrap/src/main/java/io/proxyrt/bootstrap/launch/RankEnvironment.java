/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bootstrap.launch;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import java.util.Map;
import java.util.Optional;

/**
 * What a launcher tells a process about its place among others, in the environment. Immutable.
 *
 * <ul>
 * <li>proxyrt itself, or a person: {@code PROXYRT_RANK}, {@code PROXYRT_NRANKS};
 * <li>torchrun: {@code RANK}, {@code WORLD_SIZE}, {@code LOCAL_RANK}, {@code LOCAL_WORLD_SIZE};
 * <li>Open MPI: {@code OMPI_COMM_WORLD_RANK}, {@code _SIZE}, {@code _LOCAL_RANK}, {@code _LOCAL_SIZE};
 * <li>Slurm: {@code SLURM_PROCID}, {@code SLURM_STEP_NUM_TASKS} or {@code SLURM_NTASKS}, {@code SLURM_LOCALID}. The
 *     shell of {@code salloc} and the script of {@code sbatch} know of tasks too, but are none;
 * <li>the mpiexec of MPICH, MVAPICH and Intel MPI: {@code PMI_RANK}, {@code PMI_SIZE}, {@code MPI_LOCALRANKID},
 *     {@code MPI_LOCALNRANKS}.
 * </ul>
 *
 * <p>The first of them that is there counts: proxyrt, torchrun, Open MPI, mpiexec, Slurm, for each of those may have
 * been started by one behind it. PMIx's own variables name a rank, but not how many there are; they count where Open
 * MPI or Slurm speak by PMIx.
 *
 * @param launcher   who started the process
 * @param rank       of the process
 * @param nRanks     of the job
 * @param localRank  among the ranks of this host
 * @param localRanks on this host
 * @param job        equal at all ranks of a run, and different from other runs as far as the launcher tells
 */
public record RankEnvironment(Launcher launcher, int rank, int nRanks, int localRank, int localRanks, String job) {
    /** Who starts ranks. */
    public enum Launcher {
        /** This program's parent process, or a person. */
        PROXYRT("proxyrt", "PROXYRT_NRANKS"),
        /** PyTorch's. */
        TORCHRUN("torchrun", "WORLD_SIZE"),
        /** Open MPI's mpirun. */
        OPEN_MPI("Open MPI", "OMPI_COMM_WORLD_SIZE"),
        /** Slurm's srun. */
        SLURM("Slurm", "SLURM_NTASKS"),
        /** MPICH's mpiexec, and those made of it. */
        MPICH("mpiexec", "PMI_SIZE");

        private final String label;
        private final String sizeName;

        Launcher(String label, String sizeName) {
            this.label = label;
            this.sizeName = sizeName;
        }

        /**
         * How people call it.
         *
         * @return a name
         */
        public String label() {
            return label;
        }

        /**
         * Where it says how many ranks there are.
         *
         * @return a variable of the environment
         */
        public String sizeName() {
            return sizeName;
        }
    }

    /** From here on steps have no tasks of the user's: interactive, batch and extern steps. */
    private static final long FIRST_SPECIAL_STEP = 0xFFFF_FFF0L;
    private static final int MAX_RANKS = 1 << 20;

    /**
     * Checks that rank and size fit each other.
     *
     * @throws ProxyException {@link ProxyResult#INVALID_USAGE} if they do not
     */
    public RankEnvironment {
        if (rank < 0 || rank >= nRanks || localRank < 0 || localRank >= localRanks || localRanks > nRanks) {
            throw new ProxyException(ProxyResult.INVALID_USAGE, launcher.label() + "'s environment contradicts itself: "
                    + "rank " + rank + " of " + nRanks + ", on this host " + localRank + " of " + localRanks);
        }
    }

    /**
     * Looks for a launcher in the environment of this process.
     *
     * @return empty if the process was started by a shell
     * @throws ProxyException {@link ProxyResult#INVALID_USAGE} if the environment makes no sense
     */
    public static Optional<RankEnvironment> detect() {
        return detect(System.getenv());
    }

    /**
     * Looks for a launcher.
     *
     * @param environment of the process
     * @return empty if the process was started by a shell
     * @throws ProxyException {@link ProxyResult#INVALID_USAGE} if the environment makes no sense
     */
    public static Optional<RankEnvironment> detect(Map<String, String> environment) {
        Variables variables = new Variables(environment);
        if (variables.has("PROXYRT_RANK", "PROXYRT_NRANKS")) {
            return Optional.of(proxyrt(variables));
        }
        if (variables.has("RANK", "WORLD_SIZE")) {
            return Optional.of(torchrun(variables));
        }
        if (variables.has("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE")) {
            return Optional.of(openMpi(variables));
        }
        if (variables.has("PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID", "MPI_LOCALNRANKS")) {
            return Optional.of(mpich(variables));
        }
        if (variables.has("SLURM_PROCID", "SLURM_NTASKS") && isSlurmTask(variables)) {
            return Optional.of(slurm(variables));
        }
        return Optional.empty();
    }

    /**
     * Whether all ranks are on this host, as far as the launcher tells.
     *
     * @return false if it says that some are not
     */
    public boolean isSingleHost() {
        return localRanks == nRanks;
    }

    /**
     * Whether all ranks are on this host for certain: a person who starts ranks may do so on several.
     *
     * @return false if some may not be
     */
    public boolean isOneHost() {
        return isSingleHost() && launcher != Launcher.PROXYRT && !job.isEmpty();
    }

    private static RankEnvironment proxyrt(Variables variables) {
        int rank = variables.number("PROXYRT_RANK");
        int nRanks = variables.number("PROXYRT_NRANKS");
        String job = variables.text("PROXYRT_JOB", "");
        return new RankEnvironment(Launcher.PROXYRT, rank, nRanks, rank, nRanks, job.isEmpty() ? "" : "proxyrt " + job);
    }

    private static RankEnvironment torchrun(Variables variables) {
        int rank = variables.number("RANK");
        int nRanks = variables.number("WORLD_SIZE");
        String run = variables.text("TORCHELASTIC_RUN_ID", "");
        return new RankEnvironment(Launcher.TORCHRUN, rank, nRanks, variables.number("LOCAL_RANK", rank),
                variables.number("LOCAL_WORLD_SIZE", nRanks), run.isEmpty() ? ""
                : String.join(" ", "torchrun", run, variables.text("TORCHELASTIC_RESTART_COUNT", ""),
                variables.text("MASTER_PORT", "")).strip());
    }

    private static RankEnvironment openMpi(Variables variables) {
        int rank = variables.number("OMPI_COMM_WORLD_RANK");
        int nRanks = variables.number("OMPI_COMM_WORLD_SIZE");
        String namespace = variables.text("PMIX_NAMESPACE", variables.text("OMPI_MCA_ess_base_jobid", ""));
        return new RankEnvironment(Launcher.OPEN_MPI, rank, nRanks,
                variables.number("OMPI_COMM_WORLD_LOCAL_RANK", rank),
                variables.number("OMPI_COMM_WORLD_LOCAL_SIZE", nRanks), namespace.isEmpty() ? "" : "openmpi "
                + namespace + ' ' + variables.text("OMPI_MCA_orte_precondition_transports", ""));
    }

    /** It gives a run no name. */
    private static RankEnvironment mpich(Variables variables) {
        return new RankEnvironment(Launcher.MPICH, variables.number("PMI_RANK"), variables.number("PMI_SIZE"),
                variables.number("MPI_LOCALRANKID"), variables.number("MPI_LOCALNRANKS"), "");
    }

    private static RankEnvironment slurm(Variables variables) {
        int rank = variables.number("SLURM_PROCID");
        int nRanks = variables.number("SLURM_STEP_NUM_TASKS", variables.number("SLURM_NTASKS"));
        int nodes = variables.number("SLURM_STEP_NUM_NODES", variables.number("SLURM_NNODES", 1));
        int localRank = variables.number("SLURM_LOCALID", rank);
        int localRanks = nodes == 1 ? nRanks : SlurmNodes.tasks(variables.text("SLURM_STEP_TASKS_PER_NODE", ""),
                variables.number("SLURM_NODEID", 0)).orElse(localRank + 1);
        String job = variables.text("SLURM_JOB_ID", "");
        return new RankEnvironment(Launcher.SLURM, rank, nRanks, localRank, Math.min(localRanks, nRanks),
                job.isEmpty() ? "" : "slurm " + job + ' ' + variables.text("SLURM_STEP_ID", ""));
    }

    /** A step's id tells; without one, SLURM_GTIDS is there in a batch script, and nowhere else. */
    private static boolean isSlurmTask(Variables variables) {
        String step = variables.text("SLURM_STEP_ID", variables.text("SLURM_STEPID", ""));
        return step.isEmpty() ? !variables.has("SLURM_GTIDS")
                : !step.matches("\\d{1,10}") || Long.parseLong(step) < FIRST_SPECIAL_STEP;
    }

    private record Variables(Map<String, String> environment) {
        boolean has(String... names) {
            for (String name : names) {
                if (text(name, "").isEmpty()) {
                    return false;
                }
            }
            return true;
        }

        String text(String name, String otherwise) {
            String text = environment.get(name);
            return text == null || text.isBlank() ? otherwise : text.strip();
        }

        int number(String name, int otherwise) {
            return has(name) ? number(name) : otherwise;
        }

        int number(String name) {
            String text = text(name, "");
            if (text.matches("\\d{1,9}") && Integer.parseInt(text) <= MAX_RANKS) {
                return Integer.parseInt(text);
            }
            throw new ProxyException(ProxyResult.INVALID_USAGE, "environment variable " + name + " is '" + text
                    + "': not a number that a launcher would set");
        }
    }
}

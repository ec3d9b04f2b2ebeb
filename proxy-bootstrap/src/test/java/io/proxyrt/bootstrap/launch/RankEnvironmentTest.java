/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bootstrap.launch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.bootstrap.launch.RankEnvironment.Launcher;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class RankEnvironmentTest {
    private static final Map<String, String> TORCHRUN = Map.of("RANK", "5", "WORLD_SIZE", "8", "LOCAL_RANK", "1",
            "LOCAL_WORLD_SIZE", "4", "MASTER_ADDR", "node1", "MASTER_PORT", "29500", "TORCHELASTIC_RUN_ID", "run",
            "TORCHELASTIC_RESTART_COUNT", "0");
    private static final Map<String, String> OPEN_MPI = Map.of("OMPI_COMM_WORLD_RANK", "2", "OMPI_COMM_WORLD_SIZE",
            "4", "OMPI_COMM_WORLD_LOCAL_RANK", "2", "OMPI_COMM_WORLD_LOCAL_SIZE", "4", "PMIX_NAMESPACE", "1268318209");
    private static final Map<String, String> SLURM = Map.of("SLURM_PROCID", "3", "SLURM_NTASKS", "6", "SLURM_LOCALID",
            "1", "SLURM_JOB_ID", "77", "SLURM_STEP_ID", "0", "SLURM_STEP_NUM_TASKS", "6", "SLURM_STEP_NUM_NODES", "2",
            "SLURM_STEP_TASKS_PER_NODE", "2,4", "SLURM_NODEID", "1", "SLURM_STEP_NODELIST", "gpu[07-08]");

    @Test
    void shouldReadTorchrun() {
        RankEnvironment self = detect(TORCHRUN).orElseThrow();
        assertEquals(new RankEnvironment(Launcher.TORCHRUN, 5, 8, 1, 4, "torchrun run 0 29500"), self);
        assertFalse(self.isSingleHost());
    }

    @Test
    void shouldReadOpenMpi() {
        RankEnvironment self = detect(OPEN_MPI).orElseThrow();
        assertEquals(new RankEnvironment(Launcher.OPEN_MPI, 2, 4, 2, 4, "openmpi 1268318209 "), self);
        assertTrue(self.isSingleHost());
    }

    @Test
    void shouldReadSlurm() {
        assertEquals(new RankEnvironment(Launcher.SLURM, 3, 6, 1, 4, "slurm 77 0"), detect(SLURM).orElseThrow());
    }

    @Test
    void shouldReadSlurmOnOneHost() {
        RankEnvironment self = detect(Map.of("SLURM_PROCID", "1", "SLURM_NTASKS", "2", "SLURM_LOCALID", "1",
                "SLURM_JOB_ID", "77", "SLURM_STEP_ID", "3", "SLURM_NNODES", "1")).orElseThrow();
        assertEquals(new RankEnvironment(Launcher.SLURM, 1, 2, 1, 2, "slurm 77 3"), self);
        assertTrue(self.isSingleHost());
    }

    /** Where mpiexec starts its own processes by srun, those have Slurm's variables too. */
    @Test
    void shouldReadMpiexecWithinSlurm() {
        Map<String, String> all = new HashMap<>(SLURM);
        all.putAll(Map.of("PMI_RANK", "7", "PMI_SIZE", "8", "MPI_LOCALRANKID", "3", "MPI_LOCALNRANKS", "4"));
        RankEnvironment self = detect(all).orElseThrow();
        assertEquals(new RankEnvironment(Launcher.MPICH, 7, 8, 3, 4, ""), self);
        assertFalse(self.isSingleHost());
    }

    /** By its plug-in for PMI, which knows nothing of local ranks. */
    @Test
    void shouldTakeSlurmsPmiForSlurm() {
        Map<String, String> all = new HashMap<>(SLURM);
        all.putAll(Map.of("PMI_RANK", "3", "PMI_SIZE", "6", "PMIX_RANK", "3"));
        assertEquals(Launcher.SLURM, detect(all).orElseThrow().launcher());
    }

    @Test
    void shouldReadWhatAPersonSets() {
        assertEquals(new RankEnvironment(Launcher.PROXYRT, 1, 2, 1, 2, ""),
                detect(Map.of("PROXYRT_RANK", "1", "PROXYRT_NRANKS", "2")).orElseThrow());
    }

    @Test
    void shouldPreferTheInnermostLauncher() {
        Map<String, String> all = new HashMap<>(SLURM);
        all.putAll(OPEN_MPI);
        assertEquals(Launcher.OPEN_MPI, detect(all).orElseThrow().launcher());
        all.putAll(TORCHRUN);
        assertEquals(Launcher.TORCHRUN, detect(all).orElseThrow().launcher());
        all.putAll(Map.of("PROXYRT_RANK", "0", "PROXYRT_NRANKS", "1"));
        assertEquals(Launcher.PROXYRT, detect(all).orElseThrow().launcher());
    }

    @Test
    void shouldFindNoLauncherInAShell() {
        assertEquals(Optional.empty(), detect(Map.of("PATH", "/bin", "RANK", "", "WORLD_SIZE", "2")));
    }

    @Test
    void shouldTakeTheShellOfSallocForNoTask() {
        assertEquals(Optional.empty(), detect(Map.of("SLURM_NTASKS", "4", "SLURM_JOB_ID", "77", "SLURM_NNODES", "1")));
    }

    @Test
    void shouldTakeAnInteractiveOrBatchStepForNoTask() {
        for (String step : new String[] {"4294967290", "4294967291", "4294967294"}) {
            assertEquals(Optional.empty(), detect(Map.of("SLURM_PROCID", "0", "SLURM_NTASKS", "4", "SLURM_LOCALID",
                    "0", "SLURM_JOB_ID", "77", "SLURM_STEP_ID", step)));
        }
        assertEquals(Optional.empty(), detect(Map.of("SLURM_PROCID", "0", "SLURM_NTASKS", "4", "SLURM_LOCALID", "0",
                "SLURM_JOB_ID", "77", "SLURM_GTIDS", "0")));
    }

    @Test
    void shouldSayWhichVariableMakesNoSense() {
        for (String value : new String[] {"x", "-1", "1.5", "99999999999", "1048577"}) {
            Map<String, String> broken = new HashMap<>(TORCHRUN);
            broken.put("WORLD_SIZE", value);
            ProxyException e = assertThrows(ProxyException.class, () -> detect(broken));
            assertEquals(ProxyResult.INVALID_USAGE, e.result());
            assertTrue(e.getMessage().contains("WORLD_SIZE is '" + value + "'"), e.getMessage());
        }
    }

    @Test
    void shouldRefuseARankThatIsNotAmongTheRanks() {
        Map<String, String> broken = new HashMap<>(OPEN_MPI);
        broken.put("OMPI_COMM_WORLD_RANK", "4");
        ProxyException e = assertThrows(ProxyException.class, () -> detect(broken));
        assertTrue(e.getMessage().contains("rank 4 of 4"), e.getMessage());
    }

    @Test
    void shouldTellRunsApart() {
        Map<String, String> other = new HashMap<>(OPEN_MPI);
        other.put("PMIX_NAMESPACE", "1268318210");
        assertNotEquals(detect(OPEN_MPI).orElseThrow().job(), detect(other).orElseThrow().job());
    }

    private static Optional<RankEnvironment> detect(Map<String, String> environment) {
        return RankEnvironment.detect(environment);
    }
}

/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.platform;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.proxyrt.core.LinkType;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The cases of RCCL's tests of its own reader of these files, AltRsmi. */
class XgmiTopologyTest {
    private static final PciAddress FIRST = new PciAddress(0, 3, 0, 0);
    private static final PciAddress SECOND = new PciAddress(0, 4, 0, 0);
    @TempDir
    private Path folder;
    private HostFiles files;

    /** Node 0 is a CPU; what node 2 is on the bus comes before node 1. */
    @BeforeEach
    void makeHost() {
        files = new HostFiles(folder).write(HostFiles.kfd(0) + "/gpu_id", "0")
                .write(HostFiles.kfd(0) + "/properties", "cpu_cores_count 96\nvendor_id 0\n")
                .kfdGpu(1, SECOND.bus() << 8).kfdGpu(2, FIRST.bus() << 8);
    }

    @Test
    void shouldFindADirectLink() {
        files.kfdLink(1, 0, "type 11", "node_from 1", "node_to 2", "weight 15", "min_bandwidth 50000",
                "max_bandwidth 100000");
        assertEquals(List.of(new XgmiLink(SECOND, FIRST, 2)), files.topology().xgmiLinks());
        assertEquals(LinkType.XGMI, files.topology().link("0000:04:00.0", "0000:03:00.0"));
        assertEquals(LinkType.UNKNOWN, files.topology().link("0000:03:00.0", "0000:04:00.0"));
    }

    @Test
    void shouldOrderGpusByAddress() {
        files.kfdGpu(3, 4 << 8 | 1 << 3).kfdGpu(4, 2 << 8, "num_xcc 8").kfdGpu(5, 4L << 8 | 6L << 28);
        assertEquals(List.of("0000:02:00.0", "0000:03:00.0", "0000:04:00.0", "0000:04:00.6", "0000:04:01.0"),
                files.topology().amdGpus().stream().map(PciAddress::toString).toList());
    }

    @ParameterizedTest
    @ValueSource(ints = {13, 15, 41})
    void shouldTakeTheWeightsOfOneHopForDirect(int weight) {
        files.kfdLink(1, 0, "type 11", "node_to 2", "weight " + weight);
        assertEquals(1, files.topology().xgmiLinks().size());
    }

    @ParameterizedTest
    @ValueSource(strings = {"type 2|node_to 2|weight 15", "type 11|node_to 2|weight 30", "type 11|node_to 2",
        "type 11|weight 15", "node_to 2|weight 15", "type 99|node_to 2|weight 15", "type 11|node_to 1|weight 15",
        "type 11|node_to 0|weight 15", "type 11|node_to 77|weight 15", "type eleven|node_to 2|weight 15",
        "type 11|node_to -1|weight 15",
        "type 11|node_to 2|weight 99999999999999999999", ""})
    void shouldTakeNothingElseForADirectLink(String properties) {
        files.kfdLink(1, 0, properties.split("\\|"));
        assertEquals(List.of(), files.topology().xgmiLinks());
    }

    @ParameterizedTest
    @ValueSource(strings = {"min_bandwidth 0|max_bandwidth 100", "min_bandwidth 100", "max_bandwidth 100",
        "min_bandwidth 100|max_bandwidth 50", "min_bandwidth x|max_bandwidth 100"})
    void shouldCountOneLinkWhereTheBandwidthsDoNotTell(String bandwidths) {
        files.kfdLink(1, 0, ("type 11|node_to 2|weight 13|" + bandwidths).split("\\|"));
        assertEquals(List.of(new XgmiLink(SECOND, FIRST, 1)), files.topology().xgmiLinks());
    }

    @Test
    void shouldFindSeveralLinks() {
        files.kfdGpu(3, 5 << 8)
                .kfdLink(1, 0, "type 2", "node_to 0", "weight 20")
                .kfdLink(1, 1, "type 11", "node_to 2", "weight 15")
                .kfdLink(1, 2, "type 11", "node_to 3", "weight 15")
                .kfdLink(2, 0, "type 11", "node_to 1", "weight 15");
        PciAddress third = new PciAddress(0, 5, 0, 0);
        assertEquals(List.of(new XgmiLink(FIRST, SECOND, 1), new XgmiLink(SECOND, FIRST, 1),
                new XgmiLink(SECOND, third, 1)), files.topology().xgmiLinks());
    }

    @Test
    void shouldSeeOnlyGpusOfAmdThatSayWhereTheyAre() {
        files.write(HostFiles.kfd(3) + "/gpu_id", "3").write(HostFiles.kfd(3) + "/properties",
                        "vendor_id 4318\nunique_id 1\nlocation_id 768\ndomain 0")
                .write(HostFiles.kfd(4) + "/gpu_id", "4").write(HostFiles.kfd(4) + "/properties",
                        "vendor_id 4098\nunique_id 1\ndomain 0")
                .write(HostFiles.kfd(5) + "/properties", "vendor_id 4098\nunique_id 1\nlocation_id 768\ndomain 0")
                .write(HostFiles.kfd(6) + "/gpu_id", "6")
                .write(HostFiles.kfd(7) + "/gpu_id", "7").write(HostFiles.kfd(7) + "/properties",
                        "vendor_id 4098\nlocation_id 768\ndomain 0")
                .kfdLink(1, 0, "type 11", "node_to 3", "weight 15").kfdLink(1, 1, "type 11", "node_to 4", "weight 15");
        assertEquals(List.of(FIRST, SECOND), files.topology().amdGpus());
        assertEquals(List.of(), files.topology().xgmiLinks());
    }

    @Test
    void shouldFindNoLinkWithoutFilesOfLinks() {
        assertEquals(List.of(FIRST, SECOND), files.topology().amdGpus());
        assertEquals(List.of(), files.topology().xgmiLinks());
    }

    @ParameterizedTest
    @CsvSource({"90402, gfx942", "90010, gfx90a", "90008, gfx908", "100300, gfx1030", "0, ''", "99999999, ''"})
    void shouldNameTheInstructionsOfAGpu(long version, String name) {
        files.kfdGpu(3, 9 << 8, "gfx_target_version " + version);
        assertEquals(name, files.topology().amdGpuArch(new PciAddress(0, 9, 0, 0)));
        assertEquals("", files.topology().amdGpuArch(FIRST));
    }
}

/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.topology;

import io.proxyrt.core.platform.PciAddress;
import java.util.Locale;
import java.util.Optional;

/** What is known of a node besides its type and its links. */
sealed interface NodeDetail {
    /** Nothing. */
    NodeDetail NONE = new Plain();

    /** Of bridges, adapters and switches. */
    record Plain() implements NodeDetail {
    }

    /**
     * Of a GPU.
     *
     * @param rank       that uses it
     * @param dev        its number on the host
     * @param capability NVIDIA's, such as 90; 0 of others
     * @param arch       AMD's, such as {@code gfx942}; empty of others
     * @param isGdr      whether a NIC may read and write its memory
     * @param address    on PCI; empty of a rank on the host device
     */
    record Gpu(int rank, int dev, int capability, String arch, boolean isGdr, Optional<PciAddress> address)
            implements NodeDetail {
        Gpu withRank(int newRank) {
            return new Gpu(newRank, dev, capability, arch, isGdr, address);
        }

        /** GB/s of one NVLink. */
        double nvlinkBandwidth() {
            return capability >= 100 ? 40.1 : capability >= 90 ? 20.6 : capability == 86 ? 12 : capability >= 70 ? 20
                    : capability >= 60 ? 18 : 20;
        }

        /** GB/s of one xGMI link. */
        double xgmiBandwidth() {
            String name = arch.replaceFirst("^gfx", "");
            return name.startsWith("94") || name.startsWith("95") ? 48
                    : name.equals("90a") || name.equals("910") ? 36 : 24;
        }
    }

    /**
     * Of a device of a network.
     *
     * @param dev         its number, which is also its id in graphs
     * @param name        of it
     * @param asic        the adapter's id; ports of one share its bandwidth
     * @param port        of the adapter
     * @param bandwidth   in GB/s
     * @param latency     in µs
     * @param isGdr       whether it can read and write the memory of GPUs
     * @param maxChannels that can use it
     * @param address     on PCI; empty of a virtual one
     */
    record Net(int dev, String name, long asic, int port, double bandwidth, double latency, boolean isGdr,
            int maxChannels, Optional<PciAddress> address) implements NodeDetail {
        boolean isSamePort(Net other) {
            return asic == other.asic && port == other.port;
        }
    }

    /**
     * Of a NUMA node.
     *
     * @param numaNode its number
     * @param arch     such as {@code x86_64}
     * @param vendor   such as {@code AuthenticAMD}
     * @param family   as NCCL packs it: extended over basic
     * @param model    of that family
     */
    record Cpu(int numaNode, String arch, String vendor, int family, int model) implements NodeDetail {
        private static final int SKYLAKE = 0x55;
        private static final int SAPPHIRE_RAPIDS = 0x8F;
        private static final int EMERALD_RAPIDS = 0xCF;

        boolean isIntel() {
            return isX86() && vendor.equals("GenuineIntel");
        }

        boolean isAmd() {
            return isX86() && vendor.equals("AuthenticAMD");
        }

        boolean isZhaoxin() {
            return isX86() && vendor.strip().toLowerCase(Locale.ROOT).equals("shanghai");
        }

        boolean isArm() {
            return arch.equals("arm64") || arch.equals("aarch64");
        }

        /** What RCCL takes for one of the class of AMD's Rome. */
        boolean isRome() {
            return isAmd() && (family == 143 && model >= 49 || family == 175);
        }

        private boolean isX86() {
            return arch.equals("x86_64");
        }

        /** GB/s to another NUMA node. */
        double bandwidth(SystemXml.Dialect dialect) {
            if (isIntel()) {
                return family != 6 ? 6 : model >= EMERALD_RAPIDS ? 40 : model >= SAPPHIRE_RAPIDS ? 22
                        : model >= SKYLAKE ? 10 : 6;
            }
            if (isAmd()) {
                return dialect == SystemXml.Dialect.RCCL ? 16 : amdBandwidth();
            }
            return isZhaoxin() || isArm() ? 6 : arch.equals("ppc64") ? 32 : TopologyGraph.LOCAL_BANDWIDTH;
        }

        /** The family is written as the CPU packs it, or as people count it. */
        private double amdBandwidth() {
            return switch (family) {
                case 191, 26 -> 32;
                case 175, 25 -> 24;
                default -> 16;
            };
        }
    }
}

/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench;

import io.proxyrt.bench.report.GpuReport;
import io.proxyrt.bench.report.Report;
import io.proxyrt.bench.run.BenchException;
import io.proxyrt.bench.run.GpuPlan;
import io.proxyrt.bench.run.Job;
import io.proxyrt.bench.run.NcclFigures;
import io.proxyrt.bench.run.Plan;
import io.proxyrt.bench.run.Programs;
import io.proxyrt.bench.run.Runs;
import io.proxyrt.bench.run.Sample;
import io.proxyrt.bench.run.Scale;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.device.Device;
import io.proxyrt.core.device.DeviceProvider;
import io.proxyrt.core.device.Devices;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The {@code proxyrt bench gpu} command. */
@Command(name = "gpu", usageHelpAutoWidth = true, sortOptions = false,
        description = {"Measures GPUs: a kernel's word to a proxy's thread and back, and messages and all-reduce of two"
            + " ranks over P2P, SHM and NET. With one GPU the ranks share it; with more they are two processes.", "",
            "NCCL's figures stand beside ours if they are given: gpu-check.sh makes them. The driver's libraries are"
            + " sought in the folders of PROXYRT_CUDA_LIBRARY_PATH or PROXYRT_HIP_LIBRARY_PATH, then in the system.",
            ""},
        footer = {"", "Writes gpu.md (tables and goals), gpu.csv (every value) and gpu-*.svg (plots).", "",
            "Examples:",
            "  proxyrt bench gpu",
            "  proxyrt bench gpu --rounds 1 --only 'one-way.*shm' --out /tmp/gpu",
            "  proxyrt bench gpu --nccl nccl.csv",
            "  proxyrt bench gpu --smoke"})
final class GpuCommand extends MeasuringCommand {
    private static final int RANKS = 2;

    @Option(names = "--device", paramLabel = "KIND", defaultValue = "cuda",
            description = "cuda or hip (default: ${DEFAULT-VALUE})")
    private String kind;

    @Option(names = "--nccl", paramLabel = "FILE", description = "NCCL's figures, made under the same boot")
    private Path nccl;

    private final ProxyConfig config = ProxyConfig.builder().build();
    private List<Sample> beside = List.of();

    /** For picocli. */
    GpuCommand() {
    }

    @Override
    List<Job.Program> programs() {
        return List.of();
    }

    /** What is to stand beside ours is read first: minutes later its faults would cost the report. */
    @Override
    Plan plan(Scale scale, Programs programs) {
        beside = nccl == null ? beside : NcclFigures.read(nccl);
        DeviceProvider provider = provider();
        if (!provider.whyNot(config).isEmpty()) {
            throw new BenchException("there is no GPU to measure: " + provider.whyNot(config));
        }
        return new GpuPlan(scale, kind, Math.min(RANKS, provider.count(config)));
    }

    @Override
    Report report(Runs runs, Programs programs, Scale scale, Duration duration) {
        beside.forEach(runs.results()::add);
        DeviceProvider provider = provider();
        try (Device device = provider.open(0, config)) {
            return new GpuReport(runs, programs, scale, duration, device.attributes().model() + ", "
                    + Math.min(RANKS, provider.count(config)) + " of " + provider.count(config) + "; "
                    + provider.version(config));
        }
    }

    private DeviceProvider provider() {
        return Devices.providers().stream().filter(known -> known.kind().equals(kind)).findFirst()
                .orElseThrow(() -> new BenchException("there is no kind '" + kind + "' of GPUs"));
    }
}

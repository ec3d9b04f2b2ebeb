/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli;

import io.proxyrt.cli.perf.Sizes;
import io.proxyrt.cli.tuning.Machine;
import io.proxyrt.cli.tuning.TuningReport;
import io.proxyrt.cli.tuning.TuningView;
import io.proxyrt.cli.view.Destination;
import io.proxyrt.cli.view.Json;
import io.proxyrt.collectives.Allowed;
import io.proxyrt.core.CollFunction;
import io.proxyrt.core.Protocol;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.tuner.CpuVendor;
import io.proxyrt.tuner.NcclAlgorithm;
import io.proxyrt.tuner.TuningFilter;
import io.proxyrt.tuner.TuningInput;
import io.proxyrt.tuner.external.Tuners;
import io.proxyrt.tuner.model.CostModel;
import io.proxyrt.tuner.spi.Tuner;
import io.proxyrt.tuner.spi.TunerRequest;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code proxyrt info tuning}: which algorithm and protocol a cost model chooses for each size. */
@Command(name = "tuning", mixinStandardHelpOptions = true, versionProvider = ProxyRt.VersionProvider.class,
        sortOptions = false,
        description = {"Shows which algorithm is chosen for each size, and how long that is to take.",
            "For GPUs, which need not be here, by the cost models of NCCL and RCCL, with the protocol: what a topology "
            + "would say is assumed, and printed. A tuner has a say, as in NCCL, if tuner.plugin (NCCL_TUNER_PLUGIN) "
            + "names one, or one is there. For kernels of this host as its runtimes choose; what that takes, the "
            + "profile of proxyrt tune says, or --measure.", ""},
        footer = {"", "Examples:", "  proxyrt info tuning --ranks 2 --measure", "  proxyrt info tuning --arch sm90",
            "  proxyrt info tuning --arch gfx942 --collective all_gather --ranks 32 --nodes 4",
            "  NCCL_PROTO='^LL128' proxyrt info tuning --arch sm80",
            "  proxyrt info tuning --arch sm90 --algo 'ring,tree;allreduce:^ring' --json -",
            "  NCCL_TUNER_PLUGIN=/opt/site/libnccl-tuner.so proxyrt info tuning --arch sm90",
            "", "Exit status: 0 done, 1 if the tuner cannot be had or a rank failed, 2 wrong usage, or nothing is left "
            + "to choose from."})
final class InfoTuningCommand implements Callable<Integer> {
    private static final String HOST = "host";
    /** What kernels of the host have besides those of {@link HostTuningOptions}. */
    private static final Set<String> HOST_FLAGS = Set.of("--collective", "--arch", "--ranks", "-b", "-e", "-f", "--set",
            "--json");
    private static final long GPU_BYTES = 1L << 30;
    private static final long HOST_BYTES = 16L << 20;
    private static final Set<NcclAlgorithm> COLLNET = EnumSet.of(NcclAlgorithm.COLLNET_DIRECT,
            NcclAlgorithm.COLLNET_CHAIN);

    @Spec
    private CommandSpec spec;

    @Option(names = "--collective", paramLabel = "NAME", defaultValue = "all_reduce",
            completionCandidates = Names.Tuned.class,
            description = "One of ${COMPLETION-CANDIDATES}. Default: ${DEFAULT-VALUE}.")
    private String collective;

    @Option(names = "--arch", paramLabel = "NAME", defaultValue = HOST,
            completionCandidates = Names.Architectures.class,
            description = "The GPUs: sm and a compute capability, or AMD's name: ${COMPLETION-CANDIDATES} and more; or "
                + "host: the CPUs of this one. Default: ${DEFAULT-VALUE}.")
    private String architecture;

    @Option(names = "--ranks", paramLabel = "N", defaultValue = "8", description = "Ranks. Default: ${DEFAULT-VALUE}.")
    private int ranks;

    @Mixin
    private HostTuningOptions host;

    @Option(names = "--nodes", paramLabel = "N", defaultValue = "1",
            description = "Nodes, each with as many ranks. Default: ${DEFAULT-VALUE}.")
    private int nodes;

    @Option(names = {"-b", "--minbytes"}, paramLabel = "SIZE", defaultValue = "64", converter = ByteSize.class,
            description = "Smallest size; K, M and G are powers of 1024. Default: ${DEFAULT-VALUE}.")
    private long minBytes;

    @Option(names = {"-e", "--maxbytes"}, paramLabel = "SIZE", converter = ByteSize.class,
            description = "Largest size. Default: 1G, on the host 16M.")
    private Long maxBytes;

    @Option(names = {"-f", "--stepfactor"}, paramLabel = "N", defaultValue = "4",
            description = "From size to size, multiply by N. Default: ${DEFAULT-VALUE}.")
    private int factor;

    @Option(names = "--algo", paramLabel = "LISTS", defaultValue = "${env:NCCL_ALGO}",
            description = "Algorithms that may be chosen, in the syntax of NCCL_ALGO, which is the default.")
    private String algorithms;

    @Option(names = "--proto", paramLabel = "LISTS", defaultValue = "${env:NCCL_PROTO}",
            description = "Protocols that may be chosen, in the syntax of NCCL_PROTO, which is the default.")
    private String protocols;

    @Option(names = "--cpu", paramLabel = "VENDOR", completionCandidates = Names.CpuVendors.class,
            description = "Whose CPUs: ${COMPLETION-CANDIDATES}. Default: by the GPUs.")
    private String cpu;

    @Option(names = "--channels", paramLabel = "N", description = "Channels. Default: by the GPUs.")
    private Integer channels;

    @Option(names = "--bw-intra", paramLabel = "GB/S",
            description = "Bandwidth of a channel within a node. Default: by the GPUs.")
    private Double bwIntra;

    @Option(names = "--bw-inter", paramLabel = "GB/S",
            description = "Bandwidth of a channel between nodes. Default: by the GPUs.")
    private Double bwInter;

    @Mixin
    private SettingOptions settings;

    @Mixin
    private JsonOption json;

    /** For picocli. */
    InfoTuningCommand() {
    }

    @Override
    public Integer call() {
        CollFunction function = Misuse.checked(spec, this::function);
        if (architecture.equals(HOST)) {
            Misuse.check(spec, () -> host.requireOnlyOf(spec, HOST_FLAGS));
            Sizes sizes = Misuse.checked(spec, () -> sizes(HOST_BYTES));
            return host.run(spec, function, ranks, sizes.all(), settings, json);
        }
        Misuse.check(spec, host::requireUnused);
        CostModel model = Misuse.checked(spec, () -> CostModel.of(architecture));
        Machine machine = Misuse.checked(spec, this::machine);
        TuningInput input = Misuse.checked(spec, () -> input(function, machine));
        TuningFilter filter = Misuse.checked(spec, () -> filter(function));
        Sizes sizes = Misuse.checked(spec, () -> sizes(GPU_BYTES));
        Optional<Destination> document = json.destination();
        TuningView view = view(model, machine, input, filter, sizes);
        if (Destination.leavesStandardOutput(document)) {
            new TuningReport(spec.commandLine().getOut()).print(view);
        }
        document.ifPresent(file -> file.write(Json.text(view)));
        return 0;
    }

    private TuningView view(CostModel model, Machine machine, TuningInput input, TuningFilter filter, Sizes sizes) {
        ProxyConfig config = Misuse.checked(spec, () -> settings.builder().build());
        Optional<Tuner> tuner = Tuners.open(config, new TunerRequest(0, ranks, nodes, model.constants()));
        try {
            return TuningView.of(model, machine, input, filter, tuner, sizes.all());
        } finally {
            tuner.ifPresent(Tuner::close);
        }
    }

    private Machine machine() {
        Machine usual = Machine.usual(architecture);
        return new Machine(cpu == null ? usual.cpu() : one("--cpu", cpu, CpuVendor.values(), new Names.CpuVendors()),
                channels == null ? usual.channels() : channels, bwIntra == null ? usual.bwIntra() : bwIntra,
                bwInter == null ? usual.bwInter() : bwInter);
    }

    private CollFunction function() {
        return one("--collective", collective, TuningInput.FUNCTIONS.toArray(CollFunction[]::new), new Names.Tuned());
    }

    private TuningInput input(CollFunction function, Machine machine) {
        if (nodes < 1 || ranks < 1 || ranks % nodes != 0) {
            throw new IllegalArgumentException("--nodes is " + nodes + ": must be a divisor of the " + ranks
                    + " ranks, for each node has as many");
        }
        return machine.input(function, ranks, nodes);
    }

    private static <E extends Enum<E>> E one(String flag, String name, E[] all, Iterable<String> names) {
        return Arrays.stream(all).filter(value -> value.name().equalsIgnoreCase(name)).findFirst()
                .orElseThrow(() -> new IllegalArgumentException(flag + " is '" + name + "': must be one of "
                        + String.join(", ", names) + Suggestion.of(name, names)));
    }

    private TuningFilter filter(CollFunction function) {
        return new TuningFilter(
                allowed("--algo", algorithms, NcclAlgorithm.class, Map.of("collnet", COLLNET), function),
                allowed("--proto", protocols, Protocol.class, Map.of(), function));
    }

    private static <E extends Enum<E>> Optional<Set<E>> allowed(String flag, String text, Class<E> type,
            Map<String, Set<E>> words, CollFunction function) {
        if (text == null || text.isBlank()) {
            return Optional.empty();
        }
        try {
            Allowed<E> allowed = Allowed.parse(type, words, text);
            return Optional.of(Arrays.stream(type.getEnumConstants()).filter(one -> allowed.admits(function, one))
                    .collect(Collectors.toSet()));
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(flag + " is '" + text + "': " + e.getMessage(), e);
        }
    }

    private Sizes sizes(long usual) {
        long most = maxBytes == null ? usual : maxBytes;
        if (minBytes < 1 || minBytes > most || most > PlanOptions.MAX_BYTES || factor < 2) {
            throw new IllegalArgumentException(String.format(Locale.ROOT, "-b is %d, -e is %d and -f is %d: sizes must "
                    + "be within 1 to %d, the smallest not above the largest, and the factor at least 2", minBytes,
                    most, factor, PlanOptions.MAX_BYTES));
        }
        return new Sizes(minBytes, most, factor, 0);
    }
}

/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli;

import io.proxyrt.cli.topology.TopologyDot;
import io.proxyrt.cli.topology.TopologyReport;
import io.proxyrt.cli.topology.TopologySvg;
import io.proxyrt.cli.view.Destination;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.topology.GraphXml;
import io.proxyrt.topology.JobTopology;
import io.proxyrt.topology.NodeType;
import io.proxyrt.topology.Paths;
import io.proxyrt.topology.RankPlace;
import io.proxyrt.topology.SystemDetection;
import io.proxyrt.topology.SystemXml;
import io.proxyrt.topology.TopologyGraph;
import io.proxyrt.topology.TopologyNode;
import io.proxyrt.topology.TopologyOptions;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code proxyrt info topology}: what the host is made of, and the rings and trees that suit it. */
@Command(name = "topology", mixinStandardHelpOptions = true, versionProvider = ProxyRt.VersionProvider.class,
        sortOptions = false,
        description = {"Shows what a host is made of, and the rings and trees that suit it.",
            "Without --xml it asks the system, or reads NCCL_TOPO_FILE. Ranks are the GPUs; where there is none, they "
            + "are on the NUMA nodes in turn.", ""},
        footer = {"", "Examples:", "  proxyrt info topology", "  proxyrt info topology --ranks 4 --nodes 2",
            "  proxyrt info topology --xml machine.xml --dot machine.dot --svg machine.svg",
            "  NCCL_TOPO_DUMP_FILE=machine.xml proxyrt info topology",
            "", "Exit status: 0 if there is a topology, 1 on an error, 2 wrong usage."})
final class InfoTopologyCommand implements Callable<Integer> {
    private static final int MAX_NODES = 1024;
    /** Where there is no GPU. */
    private static final int USUAL_RANKS = 2;

    @Spec
    private CommandSpec spec;

    @Option(names = "--xml", paramLabel = "FILE", description = "What the host is made of, as NCCL_TOPO_FILE.")
    private Path xml;

    @Option(names = "--nodes", paramLabel = "N", defaultValue = "1",
            description = "So many hosts that are made alike; ${DEFAULT-VALUE} unless given.")
    private int nodes;

    @Option(names = "--ranks", paramLabel = "N", defaultValue = "0",
            description = "Ranks of a host that has no GPU, or so many of its GPUs; all, or 2, unless given.")
    private int ranks;

    @Option(names = "--dot", paramLabel = "FILE", description = "Also write the machine as a graph of Graphviz.")
    private Path dot;

    @Option(names = "--svg", paramLabel = "FILE", description = "Also write a picture of the machine.")
    private Path svg;

    @Mixin
    private SettingOptions settings;

    /** For picocli. */
    InfoTopologyCommand() {
    }

    @Override
    public Integer call() {
        check("--nodes", nodes, 1, MAX_NODES);
        check("--ranks", ranks, 0, TopologyGraph.MAX_NODES);
        ProxyConfig config = Misuse.checked(spec, () -> xml == null ? settings.builder().build()
                : settings.builder().set(TopologyOptions.TOPO_FILE, xml.toString()).build());
        Optional<Destination> graph = Misuse.destination(spec, "--dot", dot);
        Optional<Destination> picture = Misuse.destination(spec, "--svg", svg);
        SystemXml system = SystemDetection.find(config);
        TopologyGraph all = TopologyGraph.of(system);
        Paths machine = Paths.of(TopologyGraph.of(system, places(all, 0)),
                config.get(TopologyOptions.NETDEVS_POLICY));
        JobTopology job = job(system, all, config);
        if (Destination.leavesStandardOutput(graph) && Destination.leavesStandardOutput(picture)) {
            new TopologyReport(spec.commandLine().getOut()).print(system.toString(), system.problems(), machine,
                    job);
        }
        graph.ifPresent(file -> file.write(TopologyDot.text(machine.graph())));
        picture.ifPresent(file -> file.write(TopologySvg.text(machine.graph())));
        return 0;
    }

    private void check(String name, int value, int min, int max) {
        if (value < min || value > max) {
            throw new ParameterException(spec.commandLine(),
                    name + " is " + value + ": must be within " + min + " to " + max);
        }
    }

    private JobTopology job(SystemXml system, TopologyGraph all, ProxyConfig config) {
        List<RankPlace> places = new ArrayList<>();
        for (int node = 0; node < nodes; node++) {
            places.addAll(places(all, node));
        }
        JobTopology found = JobTopology.of(system, places, config.get(TopologyOptions.NETDEVS_POLICY));
        String file = config.get(TopologyOptions.GRAPH_FILE);
        JobTopology job = file.isEmpty() ? found : found.with(GraphXml.read(Path.of(file)));
        String dump = config.get(TopologyOptions.GRAPH_DUMP_FILE);
        if (!dump.isEmpty()) {
            job.graphXml(0).write(Path.of(dump));
        }
        return job;
    }

    private List<RankPlace> places(TopologyGraph all, int node) {
        List<TopologyNode> gpus = all.nodes(NodeType.GPU).stream()
                .sorted((one, other) -> Integer.compare(one.rank().orElseThrow(), other.rank().orElseThrow())).toList();
        if (!gpus.isEmpty()) {
            return gpus.stream().limit(ranks == 0 ? gpus.size() : ranks).map(gpu -> RankPlace.ofGpu(node, gpu.name()))
                    .toList();
        }
        List<RankPlace> places = new ArrayList<>();
        List<TopologyNode> cpus = all.nodes(NodeType.CPU);
        for (int rank = 0; rank < (ranks == 0 ? USUAL_RANKS : ranks) && !cpus.isEmpty(); rank++) {
            places.add(RankPlace.ofHostDevice(node, Integer.parseInt(cpus.get(rank % cpus.size()).name())));
        }
        return places;
    }
}

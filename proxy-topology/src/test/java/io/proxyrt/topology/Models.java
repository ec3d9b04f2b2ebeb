/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.topology;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** Machines to try: made-up ones of this project, and others in a folder that {@code -Dtopology.models} names. */
final class Models {
    private static final Path OWN = Path.of(System.getProperty("basedir", "."), "src", "test", "resources", "models");
    private static final String FOLDER = "topology.models";

    private Models() {
    }

    static SystemXml own(String name) {
        return SystemXml.read(OWN.resolve(name + ".xml"));
    }

    static TopologyGraph graph(String name) {
        return TopologyGraph.of(own(name));
    }

    /** The made-up ones; files of others if there are any. */
    static List<Path> all() throws IOException {
        String folder = System.getProperty(FOLDER, "");
        if (folder.isEmpty()) {
            return files(OWN);
        }
        return Stream.concat(files(OWN).stream(), files(Path.of(folder)).stream()).toList();
    }

    private static List<Path> files(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(file -> file.toString().endsWith(".xml")).sorted().toList();
        }
    }

    /** Ranks of a host: its GPUs, or two on each of its NUMA nodes. */
    static List<RankPlace> places(TopologyGraph graph, long host) {
        List<TopologyNode> gpus = graph.nodes(NodeType.GPU);
        return gpus.isEmpty() ? graph.nodes(NodeType.CPU).stream()
                        .flatMap(cpu -> Stream.of(cpu, cpu))
                        .map(cpu -> RankPlace.ofHostDevice(host, cpu.cpu().numaNode())).toList()
                : gpus.stream().map(gpu -> RankPlace.ofGpu(host, gpu.name())).toList();
    }
}

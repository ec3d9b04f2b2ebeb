/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.topology;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.platform.OwnFile;
import io.proxyrt.core.progress.TransportAdapter;
import io.proxyrt.topology.xml.XmlDocument;
import io.proxyrt.topology.xml.XmlElement;
import io.proxyrt.topology.xml.XmlValues;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What a host is made of, as the XML that {@code NCCL_TOPO_FILE} names and {@code NCCL_TOPO_DUMP_FILE} gets: a
 * {@code <system>} of {@code <cpu>}s, which are NUMA nodes, with what is attached to them. Immutable; any thread.
 *
 * <p>A document may come from anywhere: it is taken within NCCL's limits (8192 elements, 512 in one, 16 attributes of
 * 255 characters), without a document type, and to a depth of 64. What NCCL and RCCL answer with
 * {@code ncclInternalError} is {@link ProxyResult#INVALID_ARGUMENT} here, since the file is at fault and not this
 * library; a wrong version is {@link ProxyResult#INVALID_USAGE}, as theirs is.
 */
public final class SystemXml {
    private static final XmlDocument.Grammar GRAMMAR = new XmlDocument.Grammar("system", Map.of(
            "system", Set.of("cpu"),
            "cpu", Set.of("pci", "nic"),
            "pci", Set.of("pci", "gpu", "nic", "pcilink"),
            "gpu", Set.of("nvlink", "xgmi", "c2c"),
            "nic", Set.of("net")), 8192);

    private final String what;
    private final XmlElement root;
    private final Dialect dialect;
    private final List<String> problems;

    /** Whose XML it is: the two differ in their versions, and in what they call the links of a GPU. */
    public enum Dialect {
        /** Version 1: {@code sm} is the compute capability of a GPU, its links are {@code <nvlink>}s. */
        NCCL(1),
        /** Version 2: {@code sm} is the number of compute units, links are {@code <xgmi>}s. */
        RCCL(2);

        private final int version;

        Dialect(int version) {
            this.version = version;
        }

        /**
         * What a document of it says.
         *
         * @return 1 or 2
         */
        public int version() {
            return version;
        }
    }

    SystemXml(String what, XmlElement root, List<String> problems) {
        this.what = what;
        this.root = root;
        this.problems = List.copyOf(problems);
        int version = new XmlValues(what).needed(root, "version", Integer.MIN_VALUE, Integer.MAX_VALUE);
        this.dialect = Arrays.stream(Dialect.values()).filter(value -> value.version == version).findFirst()
                .orElseThrow(() -> new ProxyException(ProxyResult.INVALID_USAGE, what + " is of version " + version
                        + "; 1 (NCCL) and 2 (RCCL) are taken"));
    }

    /**
     * Reads a file.
     *
     * @param file a regular one, of 4 MiB at most
     * @return what it says
     * @throws ProxyException {@link ProxyResult#SYSTEM_ERROR} if it cannot be read, {@link ProxyResult#INVALID_USAGE}
     *                        for a wrong version, {@link ProxyResult#INVALID_ARGUMENT} for anything else in it that is
     *                        wrong
     */
    public static SystemXml read(Path file) {
        return parse(file.toString(), XmlDocument.text(file));
    }

    /**
     * Reads a text.
     *
     * @param what where it comes from, for messages
     * @param text the document
     * @return what it says
     * @throws ProxyException as {@link #read}
     */
    public static SystemXml parse(String what, String text) {
        return new SystemXml(what, XmlDocument.parse(what, text, GRAMMAR), List.of());
    }

    /** With the adapters of a network in place of all others. */
    HostMachine with(List<TransportAdapter> adapters) {
        AdapterPlaces.Placed placed = AdapterPlaces.of(root, adapters);
        return new HostMachine(new SystemXml(what, placed.system(), problems), placed.isAny(), NetDevsPolicy.AUTO);
    }

    /**
     * Writes a file, with {@link #text()} in it; one that is there is replaced, whole at once.
     *
     * @param file where to
     * @throws ProxyException {@link ProxyResult#SYSTEM_ERROR} if it cannot be written
     */
    public void write(Path file) {
        OwnFile.write(file, text());
    }

    /**
     * The document. Reading it again gives an equal one.
     *
     * @return as NCCL writes it: two spaces a level, no comments, and nothing that NCCL does not know
     */
    public String text() {
        return XmlDocument.write(root);
    }

    /**
     * Whose XML it is.
     *
     * @return by its version
     */
    public Dialect dialect() {
        return dialect;
    }

    /**
     * What it does not say, because the system could not be asked for it.
     *
     * @return a sentence each; empty if it says all, and of what was read
     */
    public List<String> problems() {
        return problems;
    }

    XmlElement root() {
        return root;
    }

    XmlValues values() {
        return new XmlValues(what);
    }

    /** Whether it says the same, wherever it comes from. */
    @Override
    public boolean equals(Object other) {
        return other instanceof SystemXml xml && xml.root.equals(root);
    }

    @Override
    public int hashCode() {
        return root.hashCode();
    }

    /** Where it comes from. */
    @Override
    public String toString() {
        return what;
    }
}

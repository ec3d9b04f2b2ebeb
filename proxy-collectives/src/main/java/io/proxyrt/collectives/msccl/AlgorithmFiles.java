/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives.msccl;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.Subsystem;
import io.proxyrt.topology.xml.XmlDocument;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.slf4j.Logger;

/**
 * The files of a job, in the order in which they are tried. All were read and rehearsed. Immutable.
 *
 * @param files no more than {@link #MAX_FILES}
 */
public record AlgorithmFiles(List<AlgorithmFile> files) {
    /** None. */
    public static final AlgorithmFiles NONE = new AlgorithmFiles(List.of());
    /** Of a job. */
    static final int MAX_FILES = 128;
    private static final Logger LOG = Subsystem.TUNING.logger();
    private static final int DIGEST_CHARS = 16;
    /** Of a chunk that a step moves one after the other, best first: the fewer, the more steps may be under way. */
    private static final int[] PIECES = {4, 2, 1};

    /** Copies the files. */
    public AlgorithmFiles {
        files = List.copyOf(files);
    }

    /**
     * Where files are.
     *
     * @param list       of them, parted by colons; may be empty
     * @param folder     whose files with names that end in .xml come next, in the order of their names; may be empty
     * @param planFolder whose files with names that end in .json come last, without those that are not for here; may
     *                   be empty
     */
    public record Places(String list, String folder, String planFolder) {
    }

    /**
     * What calls have room in.
     *
     * @param slotBytes of a connection
     * @param lane      ops that can be posted at once
     */
    public record Limits(long slotBytes, int lane) {
    }

    /**
     * Reads files, and rehearses those that may be used.
     *
     * @param places where they are
     * @param nRanks those for more are only read
     * @param limits of connections and of ops
     * @return those files
     * @throws ProxyException {@link ProxyResult#INVALID_ARGUMENT} with the file, and the line that is wrong;
     *                        {@link ProxyResult#INVALID_USAGE} if one is not for kernels of the host, or has no room;
     *                        {@link ProxyResult#SYSTEM_ERROR} if one cannot be read
     */
    public static AlgorithmFiles read(Places places, int nRanks, Limits limits) {
        List<Path> named = new ArrayList<>();
        for (String one : places.list.split(":")) {
            if (!one.isBlank()) {
                named.add(path(one.strip()));
            }
        }
        named.addAll(inFolder(places.folder, ".xml"));
        List<Path> plans = inFolder(places.planFolder, ".json");
        if (named.size() + plans.size() > MAX_FILES) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, "there are " + (named.size() + plans.size())
                    + " MSCCL files; give " + MAX_FILES + " at most");
        }
        List<Variants> read = new ArrayList<>();
        named.forEach(path -> read.add(variants(path)));
        plans.forEach(path -> addIfForHere(read, path));
        return new AlgorithmFiles(read.stream().map(variants -> variants.nRanks() > nRanks ? variants.whole
                : variants.rehearsed().within(limits.slotBytes, limits.lane)).toList());
    }

    /** Folders of MSCCL++ have plans for GPUs that map each other's memory, beside others. */
    private static void addIfForHere(List<Variants> read, Path path) {
        try {
            read.add(variants(path));
        } catch (ProxyException e) {
            if (e.result() != ProxyResult.INVALID_USAGE) {
                throw e;
            }
            LOG.warn("left out: {}", e.getMessage());
        }
    }

    private static Path path(String text) {
        try {
            return Path.of(text);
        } catch (InvalidPathException e) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, "MSCCL files: '" + text + "' is no path", e);
        }
    }

    private static List<Path> inFolder(String folder, String ending) {
        if (folder.isBlank()) {
            return List.of();
        }
        try (Stream<Path> files = Files.list(path(folder.strip()))) {
            return files.filter(file -> file.getFileName().toString().endsWith(ending)).limit(MAX_FILES + 1L).sorted()
                    .toList();
        } catch (IOException | UncheckedIOException e) {
            throw new ProxyException(ProxyResult.SYSTEM_ERROR, "cannot list MSCCL files of the folder " + folder
                    + ": " + e, e);
        }
    }

    /**
     * What a file says.
     *
     * @param lean  the same with fewer signals, which may do, or not; null if it has none
     * @param whole as it is
     */
    private record Variants(AlgorithmFile lean, AlgorithmFile whole) {
        int nRanks() {
            return whole.nRanks();
        }

        AlgorithmFile rehearsed() {
            return Stream.ofNullable(lean).filter(Rehearsal::showsOrder)
                    .flatMap(file -> IntStream.of(PIECES).mapToObj(file::inPieces)).filter(Rehearsal::isWell)
                    .findFirst().orElseGet(() -> inPieces(whole));
        }

        private static AlgorithmFile inPieces(AlgorithmFile file) {
            return IntStream.of(PIECES).mapToObj(file::inPieces).filter(Rehearsal::isWell).findFirst()
                    .orElseGet(() -> {
                        Rehearsal.run(file);
                        return file;
                    });
        }
    }

    private static Variants variants(Path path) {
        return variants(path.toString(), XmlDocument.text(path, "a file of MSCCL", PlanDocument.MAX_BYTES));
    }

    /** Of MSCCL++'s plans, which are JSON, or of MSCCL's XML. */
    private static Variants variants(String file, String text) {
        if (!text.stripLeading().startsWith("{")) {
            return new Variants(null, AlgorithmXml.parse(file, digest(text), text));
        }
        Plan plan = PlanReader.read(file, text);
        return new Variants(PlanTranslation.translate(file, digest(text), plan, true),
                PlanTranslation.translate(file, digest(text), plan, false));
    }

    /** A file's algorithm, rehearsed. */
    static AlgorithmFile of(String file, String text) {
        return variants(file, text).rehearsed();
    }

    private static String digest(String text) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256")
                    .digest(text.getBytes(StandardCharsets.UTF_8))).substring(0, DIGEST_CHARS);
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every JVM has SHA-256", e);
        }
    }

    /**
     * Those for some number of ranks.
     *
     * @param nRanks how many
     * @return in the same order
     */
    public AlgorithmFiles of(int nRanks) {
        return new AlgorithmFiles(files.stream().filter(file -> file.nRanks() == nRanks).toList());
    }

    /** {@return names and digests, which are the same where the files are} */
    public String digest() {
        return files.isEmpty() ? "none" : files.stream().map(file -> Path.of(file.file()).getFileName() + " "
                + file.digest()).collect(Collectors.joining(", "));
    }
}

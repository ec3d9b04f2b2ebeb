/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives.msccl;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
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
import java.util.stream.Stream;

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
    private static final int DIGEST_CHARS = 16;

    /** Copies the files. */
    public AlgorithmFiles {
        files = List.copyOf(files);
    }

    /**
     * Reads files, and rehearses those that may be used.
     *
     * @param list   of files, parted by colons; may be empty
     * @param folder whose files with names that end in .xml come after them, in the order of their names; may be empty
     * @param nRanks those for more are only read
     * @return those files
     * @throws ProxyException {@link ProxyResult#INVALID_ARGUMENT} with the file, and the line that is wrong;
     *                        {@link ProxyResult#SYSTEM_ERROR} if one cannot be read
     */
    public static AlgorithmFiles read(String list, String folder, int nRanks) {
        List<Path> paths = new ArrayList<>();
        for (String one : list.split(":")) {
            if (!one.isBlank()) {
                paths.add(path(one.strip()));
            }
        }
        if (!folder.isBlank()) {
            paths.addAll(inFolder(path(folder.strip())));
        }
        if (paths.size() > MAX_FILES) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, "there are " + paths.size()
                    + " MSCCL files; give " + MAX_FILES + " at most");
        }
        List<AlgorithmFile> files = paths.stream().map(path -> parse(path.toString(), XmlDocument.text(path))).toList();
        files.stream().filter(file -> file.nRanks() <= nRanks).forEach(Rehearsal::run);
        return new AlgorithmFiles(files);
    }

    private static Path path(String text) {
        try {
            return Path.of(text);
        } catch (InvalidPathException e) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, "MSCCL files: '" + text + "' is no path", e);
        }
    }

    private static List<Path> inFolder(Path folder) {
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(file -> file.getFileName().toString().endsWith(".xml")).limit(MAX_FILES + 1L).sorted()
                    .toList();
        } catch (IOException | UncheckedIOException e) {
            throw new ProxyException(ProxyResult.SYSTEM_ERROR, "cannot list MSCCL files of the folder " + folder
                    + ": " + e, e);
        }
    }

    private static AlgorithmFile parse(String file, String text) {
        return AlgorithmXml.parse(file, digest(text), text);
    }

    /** A file's algorithm, rehearsed. */
    static AlgorithmFile of(String file, String text) {
        AlgorithmFile algorithm = parse(file, text);
        Rehearsal.run(algorithm);
        return algorithm;
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

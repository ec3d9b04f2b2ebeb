/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import io.proxyrt.core.CollFunction;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.platform.OwnFile;
import java.io.BufferedReader;
import java.io.FileReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Which algorithms were fastest on a machine, as {@code proxyrt tune} measured it. Communicators whose kernels run on
 * the host choose by that of rank 0 ({@link CollectivesOptions#TUNING_PROFILE}). Immutable.
 *
 * @param machine where, a line, as of {@link #thisMachine}
 * @param tables  no two of the same transport, function and number of ranks
 */
public record TuningProfile(String machine, List<TuningTable> tables) {
    /** More come of a file that is no profile. */
    static final int MAX_TABLES = 512;
    /** By which nothing is chosen. */
    static final TuningProfile NONE = new TuningProfile("nothing", List.of());
    private static final int MAX_MACHINE = 256;
    /** Of a file; fits into what ranks tell each other when they join. */
    private static final int MAX_BYTES = 256 << 10;
    /** A number of ranks that is further off than this, up or down, was not measured. */
    private static final double NEAR = 2;

    /**
     * Copies the tables.
     *
     * @throws ProxyException {@link ProxyResult#INVALID_ARGUMENT} if the machine is no line of 256 letters at most, or
     *                        there are too many tables, or two of one place
     */
    public TuningProfile {
        tables = List.copyOf(tables);
        if (machine.isBlank() || machine.length() > MAX_MACHINE || machine.chars().anyMatch(Character::isISOControl)) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, "the machine of a tuning profile must be told in a"
                    + " line of 1 to " + MAX_MACHINE + " letters");
        }
        long places = tables.stream().map(TuningTable::place).distinct().count();
        if (places != tables.size() || places > MAX_TABLES) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, "a tuning profile has " + tables.size()
                    + " tables of " + places + " transports, functions and numbers of ranks; must be one of each, and "
                    + MAX_TABLES + " at most");
        }
    }

    /**
     * What a profile of this machine says of it. Reads a file of {@code /proc}.
     *
     * @return model and number of its CPUs, whether or not this process may use all of them
     */
    public static String thisMachine() {
        String model = System.getProperty("os.arch");
        int cpus = 0;
        // No interrupt closes such a reader.
        try (BufferedReader in = new BufferedReader(new FileReader("/proc/cpuinfo", StandardCharsets.ISO_8859_1))) {
            for (String line : in.lines().toList()) {
                cpus += line.startsWith("processor") ? 1 : 0;
                model = line.startsWith("model name") ? line.substring(line.indexOf(':') + 1).strip() : model;
            }
        } catch (IOException | UncheckedIOException e) {
            cpus = 0;
        }
        return model + ", " + (cpus > 0 ? cpus : Runtime.getRuntime().availableProcessors()) + " CPUs";
    }

    /**
     * Where a user's profile is, unless an option says so.
     *
     * @return {@code proxyrt/tuning.profile} in {@code XDG_CONFIG_HOME}, else in {@code ~/.config}; empty if that is no
     *         absolute path
     */
    public static Optional<Path> defaultFile() {
        String all = System.getenv("XDG_CONFIG_HOME");
        Path folder = all == null || all.isBlank() ? Path.of(System.getProperty("user.home"), ".config")
                : Path.of(all);
        return folder.isAbsolute() ? Optional.of(folder.resolve("proxyrt").resolve("tuning.profile"))
                : Optional.empty();
    }

    /**
     * Reads a file that this user has, and to which no other may write.
     *
     * @param file that {@link #write} wrote
     * @return what it says
     * @throws ProxyException {@link ProxyResult#SYSTEM_ERROR} if it is another kind of file, or another user's, or
     *                        cannot be read; {@link ProxyResult#INVALID_ARGUMENT} with the line that is wrong
     */
    public static TuningProfile read(Path file) {
        try (FileChannel channel = OwnFile.open(file, StandardOpenOption.READ)) {
            byte[] bytes = Channels.newInputStream(channel).readNBytes(MAX_BYTES + 1);
            if (bytes.length > MAX_BYTES) {
                throw new ProxyException(ProxyResult.INVALID_ARGUMENT, file + " has more than " + MAX_BYTES
                        + " bytes: that is no tuning profile");
            }
            return TuningText.parse(file.toString(), new String(bytes, StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new ProxyException(ProxyResult.SYSTEM_ERROR, "cannot read " + file + ": " + e, e);
        }
    }

    /**
     * Writes it, in place of a file of this name, and makes the folder if there is none. Readers see this one or the
     * one before.
     *
     * @param file text, with a line for each table and each algorithm's times
     * @throws ProxyException {@link ProxyResult#SYSTEM_ERROR} if it cannot be written
     */
    public void write(Path file) {
        try {
            Files.createDirectories(file.toAbsolutePath().getParent());
        } catch (IOException e) {
            throw new ProxyException(ProxyResult.SYSTEM_ERROR, "cannot make the folder of " + file + ": " + e, e);
        }
        OwnFile.write(file, TuningText.of(this, true));
    }

    /**
     * With what was measured anew.
     *
     * @param measured tables, in place of those of the same transport, function and number of ranks
     * @return the others, and then these
     * @throws ProxyException as of the constructor
     */
    public TuningProfile with(List<TuningTable> measured) {
        List<TuningTable> all = new ArrayList<>(tables);
        List<String> places = measured.stream().map(TuningTable::place).toList();
        all.removeIf(table -> places.contains(table.place()));
        all.addAll(measured);
        return new TuningProfile(machine, all);
    }

    /**
     * What a job chooses by whose rank 0 has this configuration.
     *
     * @param config of a runtime
     * @return the profile that it finds, without what the configuration decides; without tables if there is none
     */
    public static TuningProfile inUse(ProxyConfig config) {
        return TuningSource.of(config);
    }

    /**
     * The table of the number of ranks that is nearest, among those of a half to twice as many.
     *
     * @param transport SHM or NET
     * @param function  of the calls
     * @param nRanks    of the communicator
     * @return empty if there is none, and thresholds decide
     */
    public Optional<TuningTable> nearest(String transport, CollFunction function, int nRanks) {
        TuningTable nearest = null;
        for (TuningTable table : tables) {
            if (table.isOf(transport, function) && distance(table, nRanks) <= NEAR
                    && (nearest == null || distance(table, nRanks) < distance(nearest, nRanks))) {
                nearest = table;
            }
        }
        return Optional.ofNullable(nearest);
    }

    private static double distance(TuningTable table, int nRanks) {
        return (double) Math.max(table.ranks(), nRanks) / Math.min(table.ranks(), nRanks);
    }
}

/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.tuner.model;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * A file of rows of numbers, each {@code name = number number ...}; lines that begin with # are for readers. One
 * thread, which takes what it needs and lets go of it.
 */
final class TableFile {
    private final String file;
    private final Map<String, String[]> rows = new LinkedHashMap<>();
    private final Set<String> read = new HashSet<>();

    private TableFile(String file) {
        this.file = file;
    }

    /**
     * Reads a file that lies beside this class.
     *
     * @param file its name
     * @throws ProxyException {@link ProxyResult#INTERNAL_ERROR} if it is missing or no table
     */
    static TableFile load(String file) {
        try (InputStream in = TableFile.class.getResourceAsStream(file)) {
            if (in == null) {
                throw new ProxyException(ProxyResult.INTERNAL_ERROR, file + " is not part of this build");
            }
            return parse(file, new String(in.readAllBytes(), StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new ProxyException(ProxyResult.INTERNAL_ERROR, file + " cannot be read: " + e, e);
        }
    }

    /**
     * Reads a text.
     *
     * @param file for messages
     * @param text of rows
     * @throws ProxyException {@link ProxyResult#INTERNAL_ERROR} if a line is no row, or has a name for the second time
     */
    static TableFile parse(String file, String text) {
        TableFile table = new TableFile(file);
        for (String line : text.split("\n")) {
            if (!line.isBlank() && !line.startsWith("#")) {
                table.add(line);
            }
        }
        return table;
    }

    private void add(String line) {
        int equals = line.indexOf('=');
        if (equals < 0) {
            throw failure("'" + line + "' is no row");
        }
        String name = line.substring(0, equals).strip();
        if (rows.put(name, line.substring(equals + 1).strip().split("\\s+")) != null) {
            throw failure(name + " is there twice");
        }
    }

    /**
     * A row that must be there.
     *
     * @param name  of it
     * @param count of its numbers
     */
    double[] numbers(String name, int count) {
        double[] numbers = all(name).orElseThrow(() -> failure(name + " is missing"));
        if (numbers.length != count) {
            throw failure(name + " has " + numbers.length + " numbers, where " + count + " are needed");
        }
        return numbers;
    }

    /** A row that may be there, with as many numbers. */
    Optional<double[]> find(String name, int count) {
        return row(name).map(words -> numbers(name, count));
    }

    /** A row that may be there, of triples. */
    List<double[]> triples(String name) {
        double[] numbers = all(name).orElse(new double[0]);
        if (numbers.length % 3 != 0) {
            throw failure(name + " has " + numbers.length + " numbers, which are no triples");
        }
        return Arrays.stream(range(numbers.length / 3)).mapToObj(i -> Arrays.copyOfRange(numbers, 3 * i, 3 * i + 3))
                .toList();
    }

    private static int[] range(int end) {
        int[] range = new int[end];
        Arrays.setAll(range, i -> i);
        return range;
    }

    /** A row that may be there, of any number of numbers. */
    private Optional<double[]> all(String name) {
        return row(name).map(words -> Arrays.stream(words).mapToDouble(word -> number(name, word)).toArray());
    }

    /** A row of words that must be there. */
    List<String> words(String name) {
        return List.of(row(name).orElseThrow(() -> failure(name + " is missing")));
    }

    int integer(String name) {
        double number = numbers(name, 1)[0];
        if (number != (int) number) {
            throw failure(name + " is no whole number: " + number);
        }
        return (int) number;
    }

    /** The names that begin so, without that. */
    List<String> names(String prefix) {
        return rows.keySet().stream().filter(name -> name.startsWith(prefix))
                .map(name -> name.substring(prefix.length())).toList();
    }

    /** A row that nothing reads is a name with a mistake. */
    void requireAllRead() {
        Set<String> left = new HashSet<>(rows.keySet());
        left.removeAll(read);
        if (!left.isEmpty()) {
            throw failure("nothing reads " + left.stream().sorted().toList());
        }
    }

    private Optional<String[]> row(String name) {
        read.add(name);
        return Optional.ofNullable(rows.get(name));
    }

    private double number(String name, String word) {
        try {
            double number = Double.parseDouble(word);
            if (number >= 0 && number <= Float.MAX_VALUE) {
                return number;
            }
        } catch (NumberFormatException e) {
            throw new ProxyException(ProxyResult.INTERNAL_ERROR, file + ": " + name + " has '" + word
                    + "', which is no number", e);
        }
        throw failure(name + " has " + word + ", which is no number from 0 up");
    }

    ProxyException failure(String text) {
        return new ProxyException(ProxyResult.INTERNAL_ERROR, file + ": " + text);
    }
}

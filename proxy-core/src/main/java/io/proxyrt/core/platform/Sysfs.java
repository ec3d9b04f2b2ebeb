/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.platform;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Small files in which a kernel tells one thing each. What cannot be read is not there. */
final class Sysfs {
    private Sysfs() {
    }

    /** The text of a file; empty if there is none. */
    static String text(Path file) {
        try {
            return Files.readString(file).strip();
        } catch (IOException e) {
            return "";
        }
    }

    /** A decimal number, or a hexadecimal one after 0x, that a file begins with. */
    static long number(Path file, long otherwise) {
        return number(text(file), otherwise);
    }

    static long number(String text, long otherwise) {
        try {
            return text.isEmpty() ? otherwise
                    : text.startsWith("0x") ? Long.parseUnsignedLong(text.substring(2), 16) : Long.parseLong(text);
        } catch (NumberFormatException e) {
            return otherwise;
        }
    }

    /** What a folder holds, by name. */
    static List<Path> list(Path folder) {
        List<Path> entries = new ArrayList<>();
        try (DirectoryStream<Path> stream = Files.newDirectoryStream(folder)) {
            stream.forEach(entries::add);
        } catch (IOException e) {
            return List.of();
        }
        Collections.sort(entries);
        return entries;
    }

    /** Lines of a name and a number each; other lines are left out. */
    static Map<String, Long> properties(Path file) {
        Map<String, Long> properties = new HashMap<>();
        for (String line : text(file).split("\n")) {
            String[] words = line.strip().split("\\s+");
            if (words.length == 2) {
                unsigned(words[1]).ifPresent(value -> properties.put(words[0], value));
            }
        }
        return properties;
    }

    private static Optional<Long> unsigned(String digits) {
        try {
            return Optional.of(Long.parseUnsignedLong(digits));
        } catch (NumberFormatException e) {
            return Optional.empty();
        }
    }
}

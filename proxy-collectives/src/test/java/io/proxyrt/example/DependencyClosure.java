/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.example;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The class path that Maven would make of some artifacts, from this JVM's own paths: they, what their POMs name, and of
 * the libraries named whatever is of the same group, as Netty's come together.
 */
final class DependencyClosure {
    private static final Pattern DEPENDENCY = Pattern.compile("<dependency>.*?<groupId>(.+?)</groupId>\\s*"
            + "<artifactId>(.+?)</artifactId>(.*?)</dependency>", Pattern.DOTALL);
    private static final Pattern NOT_TRANSITIVE = Pattern.compile("<scope>test|<optional>true");

    private final Path root;
    private final List<Path> entries;
    private final Set<Path> found = new LinkedHashSet<>();

    /** Modules of this project are in {@code root}. */
    DependencyClosure(Path root) {
        this.root = root;
        this.entries = Stream.of("jdk.module.path", "java.class.path").map(key -> System.getProperty(key, ""))
                .flatMap(path -> Stream.of(path.split(File.pathSeparator))).filter(entry -> !entry.isEmpty())
                .map(Path::of).toList();
    }

    Set<Path> of(List<String> artifacts) throws IOException {
        for (String artifact : artifacts) {
            addModule(artifact);
        }
        return found;
    }

    private void addModule(String artifact) throws IOException {
        Path module = root.resolve(artifact);
        Path classes = entries.stream().filter(entry -> entry.startsWith(module) && !entry.endsWith("test-classes"))
                .findFirst().orElseThrow(() -> new AssertionError(artifact + " is not among " + entries));
        if (found.add(classes)) {
            for (var dependency : DEPENDENCY.matcher(Files.readString(module.resolve("pom.xml"))).results().toList()) {
                if (dependency.group(1).equals("io.proxyrt") && !NOT_TRANSITIVE.matcher(dependency.group(3)).find()) {
                    addModule(dependency.group(2));
                } else if (!NOT_TRANSITIVE.matcher(dependency.group(3)).find()) {
                    addGroup(dependency.group(1).replace('.', '/'));
                }
            }
        }
    }

    private void addGroup(String path) {
        entries.stream().filter(entry -> entry.toString().contains("/" + path + "/")).forEach(found::add);
    }
}

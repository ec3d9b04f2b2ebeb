/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench;

import java.io.IOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.constantpool.ClassEntry;
import java.lang.classfile.constantpool.MethodTypeEntry;
import java.lang.classfile.constantpool.NameAndTypeEntry;
import java.lang.classfile.constantpool.PoolEntry;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Which package uses which, as the constant pools of compiled classes tell; inlined constants leave no trace there. */
final class PackageArrows {
    private static final Pattern NAME = Pattern.compile("io/proxyrt/[\\w/]+");

    /** By package, and by the package that it uses: one class that uses another. */
    private final Map<String, Map<String, String>> arrows = new TreeMap<>();

    /** Adds what a module's classes use; the module is where the class comes from. */
    PackageArrows add(Class<?> anchor) throws IOException {
        URI location;
        try {
            location = anchor.getProtectionDomain().getCodeSource().getLocation().toURI();
        } catch (URISyntaxException e) {
            throw new IOException(anchor.toString(), e);
        }
        Path root = Path.of(location);
        if (Files.isDirectory(root)) {
            addTree(root);
            return this;
        }
        try (FileSystem jar = FileSystems.newFileSystem(root)) {
            addTree(jar.getPath("/"));
        }
        return this;
    }

    private void addTree(Path root) throws IOException {
        try (Stream<Path> files = Files.walk(root)) {
            for (Path file : files.filter(path -> path.toString().endsWith(".class")
                    && !path.endsWith("module-info.class")).toList()) {
                add(ClassFile.of().parse(Files.readAllBytes(file)));
            }
        }
    }

    private void add(ClassModel model) {
        String from = model.thisClass().asInternalName();
        arrows.computeIfAbsent(packageOf(from), any -> new TreeMap<>());
        for (PoolEntry entry : model.constantPool()) {
            Matcher names = NAME.matcher(types(entry));
            while (names.find()) {
                add(from, names.group());
            }
        }
    }

    private void add(String from, String to) {
        if (!packageOf(from).equals(packageOf(to))) {
            arrows.get(packageOf(from)).putIfAbsent(packageOf(to), from + " -> " + to);
        }
    }

    private static String types(PoolEntry entry) {
        return switch (entry) {
            case ClassEntry type -> type.asInternalName();
            case NameAndTypeEntry member -> member.type().stringValue();
            case MethodTypeEntry type -> type.descriptor().stringValue();
            default -> "";
        };
    }

    private static String packageOf(String internalName) {
        return internalName.substring(0, internalName.lastIndexOf('/')).replace('/', '.');
    }

    Set<String> packages() {
        return arrows.keySet();
    }

    /**
     * The arrows that do not point down.
     *
     * @param layers lowest first, each with the packages on it; those of one layer must not use each other
     * @return a class of each, with one that it uses
     */
    List<String> climbing(List<Set<String>> layers) {
        Map<String, Integer> levels = new TreeMap<>();
        for (int i = 0; i < layers.size(); i++) {
            for (String name : layers.get(i)) {
                levels.put(name, i);
            }
        }
        List<String> climbing = new ArrayList<>();
        levels.forEach((from, level) -> arrows.getOrDefault(from, Map.of()).forEach((to, example) -> {
            if (levels.getOrDefault(to, -1) >= level) {
                climbing.add(example);
            }
        }));
        return climbing;
    }

    /** The arrows from packages of one module to packages of modules that it may not use. */
    List<String> sideways(Map<String, Set<String>> allowed) {
        List<String> sideways = new ArrayList<>();
        arrows.forEach((from, uses) -> uses.forEach((to, example) -> {
            String user = module(from, allowed.keySet());
            String used = module(to, allowed.keySet());
            if (!used.equals(user) && !allowed.get(user).contains(used)) {
                sideways.add(example);
            }
        }));
        return sideways;
    }

    private static String module(String name, Set<String> modules) {
        return modules.stream().filter(module -> name.equals(module) || name.startsWith(module + "."))
                .findFirst().orElseThrow(() -> new AssertionError(name + " is of no module that is known here"));
    }

    /** The arrows by which a package uses itself in the end. */
    List<String> circular() {
        List<String> circular = new ArrayList<>();
        arrows.forEach((from, uses) -> uses.forEach((to, example) -> {
            if (isUsed(from, to, new HashSet<>())) {
                circular.add(example);
            }
        }));
        return circular;
    }

    private boolean isUsed(String used, String by, Set<String> seen) {
        return used.equals(by) || seen.add(by) && arrows.getOrDefault(by, Map.of()).keySet().stream()
                .anyMatch(next -> isUsed(used, next, seen));
    }
}

/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.launch;

import io.proxyrt.core.config.CoreOptions;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * The command line that runs this very program once more: same JVM, same modules or classes, same options, but for a
 * secret, which no command line may have.
 */
final class ChildCommand {
    /** Options of all JVMs of this program, as the launcher script hands them to the first. */
    static final String JAVA_OPTIONS = "PROXYRT_JAVA_OPTS";
    /** The modules that call native libraries. */
    private static final List<String> NATIVES = List.of("io.proxyrt.natives", "org.newsclub.net.unix");
    /** Modules that none requires, and that are there only if the command line names them. */
    private static final List<String> OPTIONAL =
            List.of("org.newsclub.net.unix", "com.kohlschutter.junixsocket.nativecommon");
    private static final List<String> FLAGS = List.of("-Xms16m", "-XX:-UsePerfData");

    private ChildCommand() {
    }

    static List<String> of(Class<?> main, List<String> arguments, Map<String, String> environment) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(nativeAccess(main.getModule()));
        command.addAll(flags(environment.getOrDefault(JAVA_OPTIONS, "")));
        System.getProperties().stringPropertyNames().stream().filter(key -> key.startsWith("proxyrt."))
                .filter(key -> !key.equals(CoreOptions.SECRET.key())).sorted()
                .forEach(key -> command.add("-D" + key + "=" + System.getProperty(key)));
        command.addAll(where(main));
        command.addAll(arguments);
        return command;
    }

    private static List<String> flags(String options) {
        List<String> flags = new ArrayList<>(FLAGS);
        if (!options.matches("(?s).*-XX:\\+Use\\w+GC.*")) {
            flags.add("-XX:+UseSerialGC");
        }
        for (String option : options.strip().split("\\s+")) {
            if (!option.isEmpty()) {
                flags.add(option);
            }
        }
        return flags;
    }

    /** A child may call what its parent may, and no more: a flag for a module that is absent makes the JVM warn. */
    private static List<String> nativeAccess(Module main) {
        String names = main.isNamed() ? NATIVES.stream().map(main.getLayer()::findModule).flatMap(Optional::stream)
                .filter(Module::isNativeAccessEnabled).map(Module::getName).collect(Collectors.joining(","))
                : main.isNativeAccessEnabled() ? "ALL-UNNAMED" : "";
        return names.isEmpty() ? List.of() : List.of("--enable-native-access=" + names);
    }

    private static List<String> where(Class<?> main) {
        Module module = main.getModule();
        if (!module.isNamed()) {
            return List.of("-cp", System.getProperty("java.class.path"), main.getName());
        }
        List<String> where = new ArrayList<>();
        String path = System.getProperty("jdk.module.path");
        if (path != null) {
            where.addAll(List.of("-p", path));
        }
        String optional = OPTIONAL.stream().filter(name -> module.getLayer().findModule(name).isPresent())
                .collect(Collectors.joining(","));
        if (!optional.isEmpty()) {
            where.add("--add-modules=" + optional);
        }
        where.addAll(List.of("-m", module.getName() + "/" + main.getName()));
        return where;
    }
}

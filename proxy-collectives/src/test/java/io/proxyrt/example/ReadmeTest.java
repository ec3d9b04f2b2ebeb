/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.example;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** README's example, as pasted, with README's dependencies and no others. */
class ReadmeTest {
    private static final Path ROOT = Path.of(System.getProperty("basedir", ".")).toAbsolutePath().resolveSibling("");
    private static final String NATIVE_ACCESS = "--enable-native-access=ALL-UNNAMED";
    private static final String PLUGIN = "(<artifactId>maven-.+-plugin</artifactId>\\s+<version>.+</version>)";
    private static final List<String> OPTIONAL = List.of("proxy-native", "proxy-uds");

    @TempDir
    private Path directory;

    private String readme;
    private List<String> dependencies;

    @BeforeEach
    void read() throws Exception {
        readme = Files.readString(ROOT.resolve("README.md"));
        String pom = block("xml");
        Matcher version =
                Pattern.compile("<version>(.+?)</version>").matcher(Files.readString(ROOT.resolve("pom.xml")));
        assertTrue(version.find() && pom.contains(">" + version.group(1) + "<"), pom);
        dependencies = found("<dependency><groupId>.*?<artifactId>([^<]+)</artifactId></dependency>", pom);
        Files.writeString(directory.resolve("TwoRanks.java"), block("java"));
    }

    @Test
    void shouldCompileAndRunAsPastedWithTheDependenciesShown() throws Exception {
        String classPath = classPath(dependencies);
        assertEquals(List.of(), run("javac", "--release", "25", "-Xlint:all", "-Werror", "-cp", classPath, "-d", ".",
                "TwoRanks.java"));
        assertRuns(classPath, "-Dx=y");
    }

    @Test
    void shouldRunWithNativesThatHaveAccessAndThatHaveNone() throws Exception {
        assertTrue(readme.contains(NATIVE_ACCESS));
        String classPath = classPath(Stream.concat(dependencies.stream(), OPTIONAL.stream()).toList());
        assertEquals(List.of(), run("javac", "-cp", classPath, "-d", ".", "TwoRanks.java"));
        assertRuns(classPath, NATIVE_ACCESS);
        assertRuns(classPath, "--illegal-native-access=deny");
    }

    /** That Maven resolves it so is tried by .ci/artifacts, outside the tree. */
    @Test
    void shouldTakeAllVersionsFromABomThatHasEveryReleasedModule() throws Exception {
        String bom = Files.readString(ROOT.resolve("proxyrt-bom/pom.xml"));
        String root = Files.readString(ROOT.resolve("pom.xml"));
        for (String tag : List.of("version", "netty.version", "project.build.outputTimestamp", "url")) {
            Pattern first = Pattern.compile("(?m)^ {4,8}<" + tag + ">(.+)</" + tag + ">$");
            assertEquals(first.matcher(root).results().findFirst().orElseThrow().group(1),
                    first.matcher(bom).results().findFirst().orElseThrow().group(1), tag);
        }
        List<String> released = released(root);
        assertTrue(released.containsAll(dependencies), released.toString());
        assertEquals(released.stream().sorted().toList(),
                found("<artifactId>(proxy-.+)</artifactId>", bom).stream().sorted().toList());
        List<String> tools = found(PLUGIN, bom);
        assertTrue(!tools.isEmpty() && found(PLUGIN, root).containsAll(tools), tools.toString());
    }

    @Test
    void shouldHaveJavadocOfEveryReleasedModuleButTheCommand() throws Exception {
        String javadoc = Files.readString(ROOT.resolve("javadoc/pom.xml"));
        List<String> released = released(Files.readString(ROOT.resolve("pom.xml")));
        assertEquals(released.stream().filter(module -> !module.equals("proxy-cli")).sorted().toList(),
                found("=\\$\\{root}/(proxy-.+)/src/main/java<", javadoc).stream().sorted().toList());
    }

    @Test
    void shouldStayShort() {
        assertTrue(readme.lines().count() <= 150);
    }

    private void assertRuns(String classPath, String flag) throws Exception {
        assertEquals(List.of("rank 0 has 3.0", "rank 1 has 3.0"), run("java", "-ea", flag,
                "--sun-misc-unsafe-memory-access=deny", "-Dslf4j.internal.verbosity=ERROR", "-cp", classPath,
                "TwoRanks").stream().sorted().toList());
    }

    private String classPath(List<String> artifacts) throws Exception {
        return Stream.concat(Stream.of("."), new DependencyClosure(ROOT).of(artifacts).stream().map(Path::toString))
                .collect(Collectors.joining(File.pathSeparator));
    }

    /** What a tool of this JDK says. */
    private List<String> run(String tool, String... arguments) throws Exception {
        List<String> command = new ArrayList<>(List.of(arguments));
        command.addFirst(Path.of(System.getProperty("java.home"), "bin", tool).toString());
        Process process = new ProcessBuilder(command).directory(directory.toFile()).redirectErrorStream(true).start();
        try {
            return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).lines().toList();
        } finally {
            process.destroyForcibly();
        }
    }

    private static List<String> released(String root) throws Exception {
        List<String> released = new ArrayList<>();
        for (String module : found("<module>(proxy-.+)</module>", root)) {
            if (!Files.readString(ROOT.resolve(module).resolve("pom.xml")).contains("<maven.deploy.skip>true")) {
                released.add(module);
            }
        }
        return released;
    }

    private static List<String> found(String pattern, String text) {
        return Pattern.compile(pattern).matcher(text).results().map(found -> found.group(1)).toList();
    }

    private String block(String language) {
        Matcher found = Pattern.compile("```" + language + "\n(.*?)```", Pattern.DOTALL).matcher(readme);
        assertTrue(found.find(), language);
        return found.group(1);
    }
}

/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.natives.gpu;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Values of C expressions by a library's headers: from a table beside the tests, or from the headers themselves. */
public final class HeaderValues {
    private static final long COMPILER_SECONDS = 60;

    private HeaderValues() {
    }

    /** Lines of {@code expression = value}. */
    public static Map<String, Long> table(String name) throws IOException {
        try (InputStream in = HeaderValues.class.getResourceAsStream(name)) {
            return parse(new String(in.readAllBytes(), StandardCharsets.UTF_8).lines());
        }
    }

    private static Map<String, Long> parse(Stream<String> lines) {
        return lines.filter(line -> !line.startsWith("#")).map(line -> line.split(" = "))
                .collect(Collectors.toMap(pair -> pair[0], pair -> Long.valueOf(pair[1]), (a, b) -> b, TreeMap::new));
    }

    /** What a C compiler takes the expressions of a table for. */
    public static Map<String, Long> compiled(
            Path folder, Path headers, List<String> includes, Iterable<String> expressions)
            throws IOException, InterruptedException {
        StringBuilder source = new StringBuilder("#define __HIP_PLATFORM_AMD__\n");
        includes.forEach(include -> source.append("#include <").append(include).append(">\n"));
        source.append("#include <stddef.h>\n#include <stdio.h>\nint main(void) {\n");
        expressions.forEach(expression -> source.append("printf(\"%s = %ld\\n\", \"").append(expression)
                .append("\", (long) (").append(expression).append("));\n"));
        Path file = Files.writeString(folder.resolve("values.c"), source.append("}\n"));
        Path program = folder.resolve("values");
        run(folder, List.of("cc", "-I" + headers, "-o", program.toString(), file.toString()));
        return parse(run(folder, List.of(program.toString())).lines());
    }

    /** {@return what a command prints, which has to end well} */
    static String run(Path folder, List<String> command) throws IOException, InterruptedException {
        Path output = folder.resolve("output");
        Process process = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile()).start();
        boolean ended = process.waitFor(COMPILER_SECONDS, TimeUnit.SECONDS);
        process.destroyForcibly();
        String text = Files.readString(output);
        assertEquals(0, ended ? process.exitValue() : -1, text);
        return text;
    }
}

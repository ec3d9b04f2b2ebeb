/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.about;

import io.proxyrt.core.platform.HostName;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** This host. */
public final class Host {
    private Host() {
    }

    /**
     * Its name, without asking the network if that can be avoided.
     *
     * @return without the domain
     */
    public static String name() {
        return HostName.get();
    }

    /**
     * Its processor.
     *
     * @return the model's name, or only the architecture's
     */
    public static String cpu() {
        try (Stream<String> lines = Files.lines(Path.of("/proc/cpuinfo"))) {
            return lines.filter(line -> line.startsWith("model name")).findFirst()
                    .map(line -> line.substring(line.indexOf(':') + 1).strip()).orElse(System.getProperty("os.arch"));
        } catch (IOException | UncheckedIOException e) {
            return System.getProperty("os.arch");
        }
    }

    /**
     * Its operating system.
     *
     * @return name, version and architecture
     */
    public static String system() {
        return System.getProperty("os.name") + " " + System.getProperty("os.version") + " "
                + System.getProperty("os.arch");
    }
}

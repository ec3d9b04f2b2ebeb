/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli;

import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.ProxyConfig;
import java.nio.file.Path;
import picocli.CommandLine.Option;

/** Where the runtimes are that are looked at. */
class WhichRuntimes {
    @Option(names = "--directory", paramLabel = "FOLDER",
            description = "The runtimes' proxyrt.directory, if it is not the one of this environment. It has to be "
                    + "this user's: to see another user's runtimes, run the command as that user.")
    private Path directory;

    /** For picocli. */
    WhichRuntimes() {
    }

    ProxyConfig config() {
        ProxyConfig.Builder config = ProxyConfig.builder();
        if (directory != null) {
            config.set(CoreOptions.DIRECTORY, directory.toString());
        }
        return config.build();
    }
}

/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli;

import io.proxyrt.cli.stat.RuntimeChoice;
import picocli.CommandLine.Parameters;

/** Which runtimes are looked at. */
final class ChosenRuntimes extends WhichRuntimes {
    @Parameters(index = "0", arity = "0..1", paramLabel = "PID|JOB",
            description = "A process, or the name of a job as stat shows it. Default: all.")
    private String wanted;

    /** For picocli. */
    ChosenRuntimes() {
    }

    RuntimeChoice choice() {
        return new RuntimeChoice(config(), wanted);
    }
}

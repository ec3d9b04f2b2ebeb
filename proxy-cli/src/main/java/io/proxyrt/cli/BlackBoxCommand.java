/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli;

import io.proxyrt.cli.dump.BlackBoxPrint;
import io.proxyrt.cli.stat.RuntimeChoice;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code proxyrt blackbox}: the last events of each thread, also of one that was killed. */
@Command(name = "blackbox", mixinStandardHelpOptions = true, versionProvider = ProxyRt.VersionProvider.class,
        sortOptions = false,
        description = {"Shows the last events of each thread of this user's runtimes.",
            "Those are ops that were fetched, done, failed or stalled, connections made and closed, errors.",
            "It reads their mapped files, also of runtimes that were killed, until the next runtime of this user "
            + "starts and removes them: copy the file if it is to stay.", ""},
        footer = {"", "Examples:",
            "  proxyrt blackbox 4711              the last 50 events of a process",
            "  proxyrt blackbox -n 0 ./counters   all that a copy of the file has"})
final class BlackBoxCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Parameters(index = "0", arity = "0..1", paramLabel = "FILE|PID|JOB",
            description = "A counters file or its folder, with a slash in its path; a process; or the name of a job as "
                    + "stat shows it. Default: all runtimes.")
    private String wanted;

    @Option(names = {"-n", "--last"}, paramLabel = "N", defaultValue = "50",
            description = "The last N events of each runtime; 0: all that there are. Default: ${DEFAULT-VALUE}.")
    private int last;

    @Mixin
    private WhichRuntimes which;

    @Mixin
    private JsonOption json;

    /** For picocli. */
    BlackBoxCommand() {
    }

    @Override
    public Integer call() {
        if (last < 0) {
            throw new ParameterException(spec.commandLine(), "--last is " + last + ": must be at least 0");
        }
        BlackBoxPrint print = new BlackBoxPrint(spec.commandLine().getOut(), json.destination(), last);
        if (wanted != null && wanted.contains("/")) {
            print.print(Path.of(wanted));
        } else {
            print.print(new RuntimeChoice(which.config(), wanted));
        }
        return 0;
    }
}

/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli;

import java.io.PrintWriter;
import java.io.StringWriter;
import picocli.CommandLine;

/**
 * A command, as a user gives it, in this process.
 *
 * @param status with which it ended
 * @param out    what it printed
 * @param err    what it complained of
 */
public record CommandRun(int status, String out, String err) {
    public static CommandRun of(String... arguments) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        CommandLine command = ProxyRt.commandLine().setOut(new PrintWriter(out, true))
                .setErr(new PrintWriter(err, true));
        return new CommandRun(command.execute(arguments), out.toString(), err.toString());
    }
}

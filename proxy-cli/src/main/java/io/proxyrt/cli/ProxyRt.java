/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli;

import io.proxyrt.cli.launch.ShutdownHook;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.Version;
import io.proxyrt.core.platform.Leftovers;
import java.io.PrintWriter;
import java.util.function.IntSupplier;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.Spec;

/** The {@code proxyrt} command. */
@Command(name = "proxyrt", mixinStandardHelpOptions = true, versionProvider = ProxyRt.VersionProvider.class,
        subcommands = {PerfCommand.class, SoakCommand.class, TuneCommand.class, StatCommand.class, WhyCommand.class,
            DumpCommand.class, BlackBoxCommand.class, TraceCommand.class, ReportCommand.class, HealthCommand.class,
            InfoCommand.class, SwitchCommand.class, CompletionCommand.class, HelpCommand.class},
        synopsisSubcommandLabel = "COMMAND", commandListHeading = "%nCommands:%n",
        description = "The RCCL/NCCL proxy runtime for Java: measure it, watch it, question it.",
        footer = {"", "Examples:",
            "  proxyrt perf all_reduce       four ranks on this host, 8 bytes to 16 MiB",
            "  proxyrt soak -D 8h            random operations, all data checked, for 8 h",
            "  proxyrt tune                  measures algorithms, for runtimes to choose by",
            "  proxyrt stat -w               counters of this user's runtimes, every second",
            "  proxyrt why                   whom all wait for if a job stands still, and why",
            "  proxyrt dump                  active ops: who waits for what, since when",
            "  proxyrt blackbox              each thread's last events, after a crash too",
            "  proxyrt trace -o trace.json   what ranks did, as a timeline for Perfetto",
            "  proxyrt report -o job.html    a page with that, who waits for whom, counters",
            "  proxyrt health                exit status 0 if all runtimes here do their work",
            "  proxyrt info                  transports, networks, effective configuration",
            "  proxyrt collnet-switch        a switch in software that reduces",
            "  source <(proxyrt completion)  complete commands and options in this shell", "",
            "In a source tree, proxyrt bench measures the runtime beside its peers (proxyrt bench --help), and "
                + "proxyrt aot makes an AOT cache, with which all that follow start faster.",
            "Exit status: 0 all well, 1 wrong data, a failed rank or another error, 2 wrong usage.",
            "NCCL_DEBUG, NCCL_DEBUG_SUBSYS and NCCL_DEBUG_FILE are as in NCCL, but the log goes to the standard error;",
            "PROXYRT_LOG=info (or debug, trace) is for all loggers.",
            "PROXYRT_JAVA_OPTS are options for its JVMs, PROXYRT_JAVA_HOME is the JDK to take, and PROXYRT_PLUGINS are "
                + "jars, or folders of jars, with networks and transports of others, separated by colons."})
public final class ProxyRt implements Runnable {
    static final int USAGE = 2;

    @Spec
    private CommandSpec spec;

    /** For picocli. */
    ProxyRt() {
    }

    static final class VersionProvider implements IVersionProvider {
        @Override
        public String[] getVersion() {
            return new String[] {"proxyrt " + Version.text()};
        }
    }

    /**
     * Runs the command, and ends the JVM with its exit status.
     *
     * @param arguments of the command line
     */
    public static void main(String[] arguments) {
        LogSettings.apply(System.getenv());
        leaveNothing();
        System.exit(commandLine().execute(arguments));
    }

    static CommandLine commandLine() {
        // Asking the terminal takes a process, so not before there is help to lay out.
        return commandLine(() -> CommandSpec.create().usageMessage().autoWidth(true).width());
    }

    /** With help for a terminal of a width. */
    static CommandLine commandLine(IntSupplier columns) {
        CommandLine command = new CommandLine(new ProxyRt());
        NcclTestsFlag.addAll(command.getSubcommands().get("perf").getCommandSpec());
        return command.setExecutionExceptionHandler(ProxyRt::failed)
                .setParameterExceptionHandler(ProxyRt::misused)
                .setHelpFactory((spec, colours) -> HelpText.of(spec, colours, columns.getAsInt()));
    }

    /** Called without a command. */
    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(),
                "say what to do: perf, soak, tune, stat, why, dump, blackbox, trace, report, health, info or "
                + "collnet-switch");
    }

    /** Once the ranks of this process had their time to end, and those that it started are gone. */
    @SuppressWarnings("resource")
    private static void leaveNothing() {
        new ShutdownHook(Leftovers::removeAll);
    }

    private static int misused(ParameterException e, String[] arguments) {
        CommandLine command = e.getCommandLine();
        PrintWriter err = command.getErr();
        String name = command.getCommandSpec().qualifiedName();
        err.println(name + ": " + Suggestion.explain(e) + " (" + name + " --help tells more)");
        return USAGE;
    }

    private static int failed(Exception e, CommandLine command, ParseResult arguments) {
        PrintWriter err = command.getErr();
        String name = command.getCommandSpec().qualifiedName();
        if (!(e instanceof ProxyException failure)) {
            err.println(name + ": internal error: " + e);
            e.printStackTrace(err);
            return 1;
        }
        err.println(name + ": " + failure.getMessage());
        boolean isMisuse = failure.result() == ProxyResult.INVALID_ARGUMENT
                || failure.result() == ProxyResult.INVALID_USAGE;
        return isMisuse ? USAGE : 1;
    }
}

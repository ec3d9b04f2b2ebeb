/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.about;

import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.KnownVariables;
import io.proxyrt.core.config.Option;
import io.proxyrt.core.config.OptionsProvider;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;

/** The page docs/configuration.md: all options, and what becomes of the environment's other names. */
public final class OptionsPage {
    private static final String BEFORE = """
            # Configuration

            What `./proxyrt info options` prints, made of the options' declarations; a test compares the two.

            ## Where values come from

            For each option, the first that is set:

            1. the program: `ProxyConfig.builder().set(...)`, or `--set KEY=VALUE` of a command;
            2. the system property `proxyrt.KEY`, such as `-Dproxyrt.buffer.bytes=2M`;
            3. the environment variable named after it, in capitals with `_` for dots: `PROXYRT_BUFFER_BYTES`;
            4. the environment variable of NCCL or RCCL, where it has one: `NCCL_BUFFSIZE`, unless that is empty;
            5. the default.

            A key that no module declares, and a name of the environment that begins with `PROXYRT_` and is not on
            this page, is an error, which suggests what may have been meant. Where the environment has such names for
            programs with another version of proxyrt, give `ProxyConfig.builder().environment(...)` one without them.
            Names of NCCL and RCCL may be meant for other programs: those without effect are logged once in a process,
            at INFO; those that are not known, at WARN. `./proxyrt info` shows what is in effect, and where each value
            comes from.

            Bytes take K, M and G for powers of 1024; times us, ms, s and m, and a bare number is milliseconds; names
            are the same in capitals. The column *equal at* says which ranks have to have the same value: each may have
            its own (–), those of a host, or all. Collectives compare what cuts their work, and fail at the start if
            ranks differ.
            """;
    private static final String COLUMNS = """
            | option | NCCL, RCCL | default | values | equal at | what | touch it when |
            |---|---|---|---|---|---|---|
            """;
    private static final String OTHERS = """

            ## Other names of the environment

            Read, though they are no options:

            """;
    private static final String IDLE = """

            Known to NCCL or RCCL, and without effect here; `*` stands for all that begin so:

            """;
    private static final String MEANINGS = """
            | names | |
            |---|---|
            """;

    private OptionsPage() {
    }

    /**
     * Writes the page.
     *
     * @param providers of the options, in any order
     * @return Markdown
     */
    public static String of(List<OptionsProvider> providers) {
        String sections = providers.stream().sorted(Comparator.comparing(OptionsPage::rank)).map(OptionsPage::section)
                .collect(Collectors.joining());
        return BEFORE + sections + OTHERS + MEANINGS + variables(true) + IDLE + MEANINGS + variables(false);
    }

    /** The runtime's before the others', by their headings: the order in which modules are found is the JVM's. */
    private static String rank(OptionsProvider provider) {
        return (provider instanceof CoreOptions ? "0" : "1") + provider.title();
    }

    private static String section(OptionsProvider provider) {
        return "\n## " + provider.title() + "\n\n" + COLUMNS
                + provider.options().stream().map(OptionsPage::row).collect(Collectors.joining());
    }

    private static <T> String row(Option<T> option) {
        String value = option.text(option.defaultValue());
        return row("`" + option.key().substring("proxyrt.".length()) + "`", option.alias(),
                value.isEmpty() ? "(empty)" : value, option.values(), switch (option.scope()) {
                    case RANK -> "–";
                    case HOST -> "host";
                    case JOB -> "all";
                }, option.description(), option.when());
    }

    private static String variables(boolean areUsed) {
        return Arrays.stream(KnownVariables.values())
                .filter(kind -> kind.isUsed() == areUsed && kind != KnownVariables.OPTIONS)
                .map(kind -> row(kind.names().stream().map(name -> "`" + name + "`").collect(Collectors.joining(", ")),
                        kind.meaning())).collect(Collectors.joining());
    }

    private static String row(String... cells) {
        return Arrays.stream(cells).map(cell -> cell.replace("|", "\\|"))
                .collect(Collectors.joining(" | ", "| ", " |\n"));
    }
}

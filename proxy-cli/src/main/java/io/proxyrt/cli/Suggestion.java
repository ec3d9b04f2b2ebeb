/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli;

import io.proxyrt.core.text.EditDistance;
import java.util.Locale;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** What a user may have meant by a word that is none. Picocli's own goes by an option's first two letters alone. */
final class Suggestion {
    private static final int MOST_EDITS = 3;
    /** Of a word's letters, one in so many may be wrong. */
    private static final int LETTERS_PER_EDIT = 3;

    private Suggestion() {
    }

    /** {@code ; did you mean float?}, or nothing if no name is close. */
    static String of(String word, Iterable<String> names) {
        String nearest = "";
        int fewest = Math.clamp(word.length() / LETTERS_PER_EDIT, 1, MOST_EDITS) + 1;
        for (String name : names) {
            int edits = edits(word.toLowerCase(Locale.ROOT), name.toLowerCase(Locale.ROOT));
            if (edits < fewest && edits < name.length() - 1) {
                fewest = edits;
                nearest = name;
            }
        }
        return nearest.isEmpty() ? "" : "; did you mean " + nearest + "?";
    }

    /** What is wrong with a command line, and what may have been meant, in one line. */
    static String explain(ParameterException e) {
        String message = e.getMessage().replaceAll("\\s*\\R\\s*", " ");
        if (!(e instanceof UnmatchedArgumentException unmatched) || unmatched.getUnmatched().isEmpty()) {
            return message;
        }
        String word = unmatched.getUnmatched().getFirst();
        CommandLine command = e.getCommandLine();
        if (unmatched.isUnknownOption()) {
            String name = word.contains("=") ? word.substring(0, word.indexOf('=')) : word;
            return "unknown option '" + word + "'" + of(name, optionNames(command.getCommandSpec()));
        }
        return command.getSubcommands().isEmpty() ? message : noCommand(word, command);
    }

    /** That a command has no subcommand of this name. */
    static String noCommand(String word, CommandLine parent) {
        return "'" + word + "' is no command of " + parent.getCommandSpec().qualifiedName() + ": must be one of "
                + String.join(", ", parent.getSubcommands().keySet()) + of(word, parent.getSubcommands().keySet());
    }

    private static Iterable<String> optionNames(CommandSpec spec) {
        return spec.options().stream().filter(option -> !option.hidden()).map(OptionSpec::longestName).toList();
    }

    /** At most one where the word is the beginning of the name. */
    private static int edits(String word, String name) {
        int edits = EditDistance.between(word, name);
        return word.length() >= LETTERS_PER_EDIT && name.startsWith(word) ? Math.min(1, edits) : edits;
    }
}

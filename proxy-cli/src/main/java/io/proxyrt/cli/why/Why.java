/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.why;

import io.proxyrt.cli.stat.RuntimeChoice;
import io.proxyrt.cli.view.Destination;
import io.proxyrt.cli.view.Json;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.diagnosis.Reason;
import io.proxyrt.core.directory.RuntimeDirectory;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** Says whom the ranks of jobs wait for, and why, from their mapped files alone. */
public final class Why {
    private static final int PROBLEMS = 4;

    private final RuntimeChoice choice;
    private final PrintWriter out;
    private final Optional<Destination> json;

    /**
     * Describes what to look at.
     *
     * @param choice which runtimes; one is looked at with all of its job
     * @param out    where to
     * @param json   document to write, instead of what is printed if it is for the standard output
     */
    public Why(RuntimeChoice choice, PrintWriter out, Optional<Destination> json) {
        this.choice = choice;
        this.out = out;
        this.json = json;
    }

    /**
     * Looks, and says what it has found. Takes as long as {@link WhyView#at}.
     *
     * @return whether something stands still, or cannot be seen
     * @throws ProxyException if there is no such runtime, or the document can't be written
     */
    public boolean print() {
        WhyView look = WhyView.at(choice.jobs());
        json.ifPresent(document -> document.write(Json.text(look)));
        if (Destination.leavesStandardOutput(json)) {
            List<String> lines = new ArrayList<>();
            for (WhyView.Entry job : look.jobs()) {
                lines.addAll(lines(job));
                job.late().ifPresent(late -> lines.add("  " + late.sentence()));
            }
            look.problems().stream().limit(PROBLEMS).forEach(lines::add);
            if (look.problems().size() > PROBLEMS) {
                lines.add("and " + (look.problems().size() - PROBLEMS) + " more that cannot be read");
            }
            if (lines.isEmpty()) {
                lines.add("no running runtime found under " + RuntimeDirectory.place(choice.config()));
            }
            lines.forEach(line -> out.print(line + '\n'));
            out.flush();
        }
        return !look.problems().isEmpty()
                || look.jobs().stream().anyMatch(job -> !job.reason().equals(Reason.NONE.label()));
    }

    private static List<String> lines(WhyView.Entry found) {
        List<String> lines = new ArrayList<>();
        lines.add((found.job().isEmpty() ? "" : "job " + found.job() + ": ") + found.sentence());
        Map<String, List<WhyView.Wait>> byPair = new LinkedHashMap<>();
        Set<Integer> waitForOthers = found.waits().stream().filter(wait -> wait.from() != wait.to())
                .map(WhyView.Wait::from).collect(Collectors.toSet());
        found.waits().stream().filter(wait -> wait.from() != wait.to() || !waitForOthers.contains(wait.from()))
                .sorted(Comparator.comparingInt(WhyView.Wait::from).thenComparingInt(WhyView.Wait::to))
                .forEach(wait -> byPair.computeIfAbsent("  rank " + wait.from() + (wait.from() == wait.to()
                        ? " -> itself" : " -> rank " + wait.to()), _ -> new ArrayList<>()).add(wait));
        byPair.forEach((pair, waits) -> {
            WhyView.Wait first = waits.getFirst();
            lines.add(pair + ": " + first.what() + String.format(Locale.ROOT, ", for %.1f s", first.stillSeconds())
                    + (waits.size() == 1 ? "" : ", and " + (waits.size() - 1) + " more"));
        });
        return lines;
    }
}

/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.why;

import io.proxyrt.cli.stat.RuntimeChoice;
import io.proxyrt.cli.view.Destination;
import io.proxyrt.cli.view.Json;
import io.proxyrt.collectives.kernel.OpCallWords;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.diagnosis.Diagnosis;
import io.proxyrt.core.diagnosis.HostLook;
import io.proxyrt.core.diagnosis.JobObservation;
import io.proxyrt.core.diagnosis.Reason;
import io.proxyrt.core.diagnosis.WaitEdge;
import io.proxyrt.core.directory.RuntimeDirectory;
import java.io.PrintWriter;
import java.time.Instant;
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
     * Looks, and says what it has found. Takes a quarter of a second, and some seconds if other hosts have to be asked.
     *
     * @return whether something stands still, or cannot be seen
     * @throws ProxyException if there is no such runtime, or the document can't be written
     */
    public boolean print() {
        List<RuntimeDirectory.Entry> runtimes = choice.jobs();
        HostLook look = HostLook.at(runtimes, HostLook.SPAN);
        List<Diagnosis> found = new ArrayList<>();
        List<WhyView.Entry> entries = new ArrayList<>();
        for (JobObservation job : look.jobs()) {
            found.add(Diagnosis.ofAll(job, new OpCallWords(), runtimes));
            entries.add(WhyView.Entry.of(job, found.getLast()));
        }
        json.ifPresent(document -> document.write(Json.text(new WhyView(Instant.now(),
                entries, look.problems()))));
        if (Destination.leavesStandardOutput(json)) {
            List<String> lines = new ArrayList<>();
            for (int i = 0; i < found.size(); i++) {
                lines.addAll(lines(found.get(i)));
                entries.get(i).late().ifPresent(late -> lines.add("  " + late.sentence()));
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
        return !look.problems().isEmpty() || found.stream().anyMatch(each -> each.reason() != Reason.NONE);
    }

    static List<String> lines(Diagnosis found) {
        List<String> lines = new ArrayList<>();
        lines.add((found.job().isEmpty() ? "" : "job " + found.job() + ": ") + found.sentence());
        Map<String, List<WaitEdge>> byPair = new LinkedHashMap<>();
        Set<Integer> waitForOthers = found.edges().stream().filter(edge -> edge.from() != edge.to())
                .map(WaitEdge::from).collect(Collectors.toSet());
        found.edges().stream().filter(edge -> edge.from() != edge.to() || !waitForOthers.contains(edge.from()))
                .sorted(Comparator.comparingInt(WaitEdge::from).thenComparingInt(WaitEdge::to))
                .forEach(edge -> byPair.computeIfAbsent("  rank " + edge.from() + (edge.from() == edge.to()
                        ? " -> itself" : " -> rank " + edge.to()), _ -> new ArrayList<>()).add(edge));
        byPair.forEach((pair, edges) -> {
            WaitEdge first = edges.getFirst();
            lines.add(pair + ": " + first.what() + String.format(Locale.ROOT, ", for %.1f s",
                    first.still().toMillis() / 1000.0) + (edges.size() == 1 ? "" : ", and " + (edges.size() - 1)
                            + " more"));
        });
        return lines;
    }
}

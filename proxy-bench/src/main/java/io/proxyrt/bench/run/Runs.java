/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.run;

import io.proxyrt.bench.process.BenchException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/** Carries out a plan, round by round, and says where it is. */
public final class Runs {
    private final Programs programs;
    private final int rounds;
    private final List<Group> groups;
    private final PrintStream progress;
    private final Results results = new Results();
    private final List<Noise> noise = new ArrayList<>();
    private final String example;
    private int done;

    /**
     * Runs that have not begun.
     *
     * @param programs what measures
     * @param plan     what is measured, in the order of one round
     * @param rounds   how often
     * @param only     which jobs, by their names; null for all
     * @param progress where to say how far it is
     */
    public Runs(Programs programs, List<Group> plan, int rounds, Pattern only, PrintStream progress) {
        this.programs = programs;
        this.rounds = rounds;
        this.example = plan.getFirst().jobs().getFirst().toString();
        this.groups = plan.stream().map(group -> chosen(group, only)).filter(g -> !g.jobs().isEmpty()).toList();
        this.progress = progress;
    }

    /**
     * Measures everything.
     *
     * @throws BenchException if a measurement fails
     */
    public void run() {
        if (groups.isEmpty()) {
            throw new BenchException("--only leaves nothing to measure; names are such as \"" + example + '"');
        }
        int all = rounds * groups.stream().mapToInt(group -> group.jobs().size()).sum();
        for (int round = 1; round <= rounds; round++) {
            for (Group group : groups) {
                run(round, group.rotated(round - 1), all);
            }
        }
    }

    /**
     * What was measured.
     *
     * @return complete after {@link #run()}
     */
    public Results results() {
        return results;
    }

    /**
     * What went on meanwhile.
     *
     * @return an element for each group and round
     */
    public List<Noise> noise() {
        return noise;
    }

    private static Group chosen(Group group, Pattern only) {
        return only == null ? group : new Group(group.name(),
                group.jobs().stream().filter(job -> only.matcher(job.toString()).find()).toList());
    }

    private void run(int round, Group group, int all) {
        double before = programs.coreToCore();
        CpuShare others = new CpuShare();
        for (Job job : group.jobs()) {
            done++;
            progress.printf(Locale.ROOT, "[%3d/%d] round %d of %d: %s%n", done, all, round, rounds, job);
            collect(round, job);
        }
        Noise meanwhile = new Noise(round, group.name(), before, programs.coreToCore(), others.percent());
        noise.add(meanwhile);
        progress.printf(Locale.ROOT, "%s: a cache line went to the other CPU and back in %.0f ns, then in %.0f: %s%n",
                group.name(), meanwhile.c2cBefore(), meanwhile.c2cAfter(), meanwhile.placement());
    }

    private void collect(int round, Job job) {
        for (String line : programs.run(job)) {
            String[] words = line.split("\t");
            if (words[0].equals("R")) {
                String scenario = words.length > 3 ? words[1] : job.scenario();
                results.add(new Sample(round, job.experiment(), scenario, job.contender(), words[words.length - 2],
                        Double.parseDouble(words[words.length - 1])));
            }
        }
    }
}

/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.suite;

import io.proxyrt.bench.run.Group;
import io.proxyrt.bench.run.Job;
import io.proxyrt.bench.run.Peers;
import java.util.ArrayList;
import java.util.List;

/** The jobs of a group, most of them of one cell. Their words stand in one string, with blanks between. */
final class Jobs {
    private final Peers peers;
    private final List<Job> jobs = new ArrayList<>();
    private String experiment;
    private String scenario;

    Jobs(Peers peers, String experiment, String scenario) {
        this.peers = peers;
        this.experiment = experiment;
        this.scenario = scenario;
    }

    /** Those that follow are of another cell. */
    Jobs of(String anotherExperiment, String anotherScenario) {
        experiment = anotherExperiment;
        scenario = anotherScenario;
        return this;
    }

    /** A rig, in a JVM of its own. */
    Jobs rig(String contender, String words) {
        return add(Job.Program.JAVA, contender, words);
    }

    /** A peer; left out if it cannot run. */
    Jobs peer(Job.Program program, String contender, String words) {
        return peers.has(program) ? add(program, contender, words) : this;
    }

    Jobs add(Job.Program program, String contender, String words) {
        jobs.add(new Job(experiment, scenario, contender, program, List.of(words.strip().split(" +"))));
        return this;
    }

    Group group(String name) {
        return new Group(name, jobs);
    }
}

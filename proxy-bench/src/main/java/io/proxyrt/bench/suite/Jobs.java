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

/** The jobs of a group. Their words stand in one string, with blanks between. */
final class Jobs {
    private final Peers peers;
    private final List<Job> jobs = new ArrayList<>();

    Jobs(Peers peers) {
        this.peers = peers;
    }

    /** A rig, in a JVM of its own. */
    Jobs rig(String experiment, String scenario, String contender, String words) {
        return add(experiment, scenario, contender, Job.Program.JAVA, words);
    }

    /** A peer; left out if it cannot run. */
    Jobs peer(Job.Program program, String experiment, String scenario, String contender, String words) {
        return peers.has(program) ? add(experiment, scenario, contender, program, words) : this;
    }

    Jobs add(String experiment, String scenario, String contender, Job.Program program, String words) {
        jobs.add(new Job(experiment, scenario, contender, program, List.of(words.strip().split(" +"))));
        return this;
    }

    Group group(String name) {
        return new Group(name, jobs);
    }
}

/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.run;

import io.proxyrt.core.device.DeviceConnection;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/** Which measurements are made of the SHM transport, and of all-reduce over it. */
public final class ShmPlan extends MessagePlan {
    /** Messages there and back, one at a time. */
    public static final String ROUND_TRIP = "rtt";
    /** Messages one way, a window at a time. */
    public static final String STREAM = "stream";
    /** The same, each message of a window from and to a place of its own. */
    public static final String APART = "stream-apart";
    /** Steps that a proxy copies, one way. */
    public static final String COPY_ENGINE = "copy-engine";

    /** From kernel to kernel, by LL. */
    public static final String LL = OURS + "-ll";
    /** From kernel to kernel, by LL128. */
    public static final String LL128 = OURS + "-ll128";
    /** From kernel to kernel, by Simple. */
    public static final String SIMPLE = OURS + "-simple";
    /** Messages of a communicator, right from and to memory that it allocated. */
    public static final String REGISTERED = OURS + "-registered";
    /** UCX with its posix transport. */
    public static final String UCX = "ucx";
    /** One thread's memcpy in C. */
    public static final String C_COPY = "c-memcpy";

    /** Ours, with steps of all sizes copied by the progress thread itself. */
    public static final String BY_THREAD = OURS + "-by-thread";
    /** The copies of one thread that does nothing else. */
    public static final String ONE_COPY = "one-thread";

    private static final List<String> COMMUNICATOR = List.of("coll.transport=SHM", "proxyrt.threading=invoker");
    private static final List<Long> ROUND_TRIP_BYTES = List.of(8L, 64L, 512L, 4L << 10);
    private static final List<Long> COPY_BYTES = List.of(16L << 10, 64L << 10, 128L << 10, 512L << 10);
    private static final int COPY_SLOTS = DeviceConnection.STEPS;
    private static final int COPY_SLOT_BYTES = 512 << 10;
    private static final List<Long> STREAM_BYTES = List.of(64L << 10, 256L << 10, 512L << 10, 1L << 20, 4L << 20);
    private static final int TWO = 2;
    private static final double UCX_ROUND_TRIPS = 1e6;
    private static final double UCX_STREAM_BYTES = 5e9;

    /**
     * A plan.
     *
     * @param scale how long
     * @param has   whether a peer takes part
     */
    public ShmPlan(Scale scale, Predicate<Job.Program> has) {
        super(scale, has, "SHM");
    }

    @Override
    public List<Group> groups() {
        List<Group> groups = new ArrayList<>(List.of(roundTrips(), streams(), streamsApart(), copies()));
        groups.addAll(allReduces());
        return groups;
    }

    private Group roundTrips() {
        List<Long> sizes = some(ROUND_TRIP_BYTES);
        List<Job> jobs = new ArrayList<>();
        peer(jobs, Job.Program.MPI_SHM, ROUND_TRIP, BY_SIZE, MPI, mpi(TWO, "rtt", words(sizes, seconds(1))));
        jobs.add(rig("shmrtt", ROUND_TRIP, LL, sizes, "protocol=ll"));
        jobs.add(rig("shmrtt", ROUND_TRIP, LL128, sizes, "protocol=ll128"));
        jobs.add(rig("shmrtt", ROUND_TRIP, SIMPLE, sizes, "protocol=simple"));
        addUcx(jobs, ROUND_TRIP, "tag_lat", sizes);
        jobs.add(communicator("commrtt", ROUND_TRIP, OURS, sizes, "registered=false", "apart=false"));
        return new Group(ROUND_TRIP, jobs);
    }

    private Group streams() {
        List<Long> sizes = some(STREAM_BYTES);
        List<Job> jobs = new ArrayList<>();
        peer(jobs, Job.Program.MPI_SHM, STREAM, BY_SIZE, MPI, mpi(TWO, "stream", words(sizes, seconds(1))));
        jobs.add(communicator("commstream", STREAM, OURS, sizes, "registered=false", "apart=false"));
        addUcx(jobs, STREAM, "tag_bw", sizes);
        jobs.add(communicator("commstream", STREAM, REGISTERED, sizes, "registered=true", "apart=false"));
        peer(jobs, Job.Program.COPIES, STREAM, BY_SIZE, C_COPY, words(sizes, seconds(1), "1", "0"));
        return new Group(STREAM, jobs);
    }

    /** UCX's programs have no such window. */
    private Group streamsApart() {
        List<Long> sizes = some(STREAM_BYTES);
        List<Job> jobs = new ArrayList<>();
        peer(jobs, Job.Program.MPI_SHM, APART, BY_SIZE, MPI, mpi(TWO, "apart", words(sizes, seconds(1))));
        jobs.add(communicator("commstream", APART, OURS, sizes, "registered=false", "apart=true"));
        jobs.add(communicator("commstream", APART, REGISTERED, sizes, "registered=true", "apart=true"));
        return new Group(APART, jobs);
    }

    /** With slots that the largest step fits into. */
    private Group copies() {
        List<Long> sizes = some(COPY_BYTES);
        String buffer = "buffer.bytes=" + COPY_SLOTS * COPY_SLOT_BYTES;
        List<Job> jobs = new ArrayList<>(List.of(
                rig("shmcopy", COPY_ENGINE, OURS, sizes, "alone=false", "shm.use.memcpy=1", buffer),
                rig("shmcopy", COPY_ENGINE, BY_THREAD, sizes, "alone=false", "shm.use.memcpy=1", buffer,
                        "shm.cpu.copy.bytes=" + (1 << 30)),
                rig("shmcopy", COPY_ENGINE, ONE_COPY, sizes, "alone=true", "shm.use.memcpy=1", buffer)));
        peer(jobs, Job.Program.COPIES, COPY_ENGINE, BY_SIZE, C_COPY, words(sizes, seconds(1),
                Integer.toString(COPY_SLOTS), Integer.toString(COPY_SLOT_BYTES)));
        return new Group(COPY_ENGINE, jobs);
    }

    private Job communicator(String rig, String experiment, String contender, List<Long> sizes, String... which) {
        List<String> options = new ArrayList<>(COMMUNICATOR);
        options.addAll(List.of(which));
        return rig(rig, experiment, contender, sizes, options.toArray(String[]::new));
    }

    private void addUcx(List<Job> jobs, String experiment, String test, List<Long> sizes) {
        List<String> words = new ArrayList<>(List.of(test));
        for (long size : sizes) {
            words.add(Long.toString(size));
            words.add(Long.toString(count(experiment.equals(STREAM) ? UCX_STREAM_BYTES / size : UCX_ROUND_TRIPS)));
        }
        peer(jobs, Job.Program.UCX, experiment, BY_SIZE, UCX, words);
    }

    @Override
    void addPeers(List<Job> jobs, int ranks, String scenario, List<String> sizes) {
        peer(jobs, Job.Program.MPI_SHM, allReduce(ranks), scenario, MPI, mpi(ranks, "allreduce", sizes));
    }
}

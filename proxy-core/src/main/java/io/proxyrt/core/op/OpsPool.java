/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.op;

import io.proxyrt.core.OpsPoolKind;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.platform.MappedFile;
import io.proxyrt.core.platform.Platform;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Where ops wait for the progress agent: RCCL's {@code ncclProxyOpsPool}, in a mapped file. Each poster has a lane; how
 * posted ops get from there to the consumer is what the {@link OpsPoolKind}s differ in.
 */
public final class OpsPool implements AutoCloseable {
    private final Backing backing;
    private final OpsPoolHeader header;
    private final OpsLane[] lanes;
    private final Doorbell doorbell;
    private final OpsFetcher fetcher;
    /** Null for a pool of lanes. */
    private final PostOrder order;
    private final PosterSettings settings;

    /** Where the memory is from; the path is null if it is of no file. */
    private record Backing(Path path, Runnable unmap) {
    }

    private OpsPool(Backing backing, OpsPoolHeader header, OpsLane[] lanes, Doorbell doorbell, PostOrder order,
            PosterSettings settings) {
        this.backing = backing;
        this.header = header;
        this.lanes = lanes;
        this.doorbell = doorbell;
        this.order = order;
        this.settings = settings;
        this.fetcher = new OpsFetcher(header, doorbell, lanes, order == null ? null : order.fetcher(lanes));
    }

    /**
     * Creates the pool of a proxy.
     *
     * @param path   of the mapped file; must not exist
     * @param rank   of the proxy
     * @param config kind, sizes, and what posters do when their lane is full
     * @return owned by the caller
     * @throws ProxyException {@link ProxyResult#SYSTEM_ERROR} if the file cannot be made
     */
    public static OpsPool create(Path path, int rank, ProxyConfig config) {
        return create(path, rank, config, memory -> { });
    }

    /**
     * The same, at a place.
     *
     * @param path      of the mapped file; must not exist
     * @param rank      of the proxy
     * @param config    kind, sizes, and what posters do when their lane is full
     * @param placement puts memory where it shall lie; what it throws is thrown, and the file is gone
     * @return owned by the caller
     * @throws ProxyException {@link ProxyResult#SYSTEM_ERROR} if the file cannot be made
     */
    public static OpsPool create(Path path, int rank, ProxyConfig config, Consumer<MemorySegment> placement) {
        MappedFile file = MappedFile.create(path, bytes(config));
        try {
            placement.accept(file.segment());
        } catch (RuntimeException | Error e) {
            file.close();
            throw e;
        }
        return create(file.segment(), new Backing(path, file::close), rank, config,
                MappedDoorbell.ofProxy(file.segment(), Platform.find()));
    }

    /** Creates a pool in zeroed memory of {@link #bytes} bytes, and unmaps it when the pool is closed. */
    static OpsPool create(MemorySegment memory, Runnable unmap, int rank, ProxyConfig config, Platform platform) {
        return create(memory, unmap, rank, config, MappedDoorbell.ofProxy(memory, platform));
    }

    /** As before, with another doorbell for the kinds that do not bring their own. */
    static OpsPool create(MemorySegment memory, Runnable unmap, int rank, ProxyConfig config, Doorbell doorbell) {
        return create(memory, new Backing(null, unmap), rank, config, doorbell);
    }

    private static OpsPool create(MemorySegment memory, Backing backing, int rank, ProxyConfig config,
            Doorbell doorbell) {
        OpsPoolKind kind = config.get(CoreOptions.OPS_POOL);
        int nLanes = config.get(CoreOptions.LANES);
        int capacity = config.get(CoreOptions.LANE_CAPACITY);
        OpsPoolHeader header = OpsPoolHeader.create(memory, kind, rank, nLanes, capacity);
        OpsLane[] lanes = OpsLane.all(memory, nLanes, capacity);
        PostOrder order = switch (kind) {
            case LANES -> null;
            case MPSC -> new MpscOrder(nLanes, capacity, doorbell);
            case LOCKED -> new LockedOps(nLanes, capacity);
        };
        return new OpsPool(backing, header, lanes, order == null ? doorbell : order.doorbell(), order,
                PosterSettings.of(config));
    }

    /** What the pool of a configuration needs. */
    static long bytes(ProxyConfig config) {
        return OpsPoolDescriptor.fileBytes(config.get(CoreOptions.LANES), config.get(CoreOptions.LANE_CAPACITY));
    }

    /**
     * Claims a lane for the calling thread, or for the one thread that will use the poster.
     *
     * @return to be closed by that thread
     * @throws ProxyException {@link ProxyResult#INVALID_USAGE} if all lanes are taken
     */
    public OpsPoster poster() {
        OpsLane lane = header.claim(lanes, false);
        return new OpsPoster(header, lane, doorbell, settings, order == null ? null : order.poster(lane));
    }

    /**
     * What posters in other processes need.
     *
     * @return empty if they cannot post to a pool of this kind, or it has no file
     */
    public Optional<OpsPoolAddress> address() {
        return backing.path() == null ? Optional.empty() : header.address(backing.path());
    }

    /**
     * The consuming end; the progress agent's.
     *
     * @return always the same
     */
    public OpsFetcher fetcher() {
        return fetcher;
    }

    /** Ends the consumer's sleep, or the one it is about to begin. Any thread. */
    public void wakeup() {
        doorbell.ring();
    }

    /**
     * For a consumer that sleeps elsewhere than in {@link OpsFetcher#sleep}: what a post ends its sleep by. Before it
     * first arms. Posters in other processes cannot do that.
     *
     * @param wakeup called by any thread; ends the sleep, or the one about to begin
     */
    public void wakeBy(Runnable wakeup) {
        doorbell.wakeBy(wakeup);
    }

    /**
     * Whether every post ends the consumer's sleep. Not so where a poster lives in another process and one of the two
     * has no futex: then the consumer has to look now and then.
     *
     * @return true as long as the present posters can all be heard
     */
    public boolean isEveryPostHeard() {
        for (OpsLane lane : lanes) {
            if (lane.isForeign() && (lane.isMute() || !doorbell.isHeardAcrossProcesses())) {
                return false;
            }
        }
        return true;
    }

    /**
     * Checks that no op was lost or doubled. Any thread, at any time: each word only grows, and is read after those
     * that may not pass it.
     *
     * @throws ProxyException {@link ProxyResult#INTERNAL_ERROR} naming the lane whose books do not balance
     */
    public void audit() {
        for (OpsLane lane : lanes) {
            long completed = lane.completed();
            long fetched = lane.fetched();
            long posted = lane.posted();
            if (completed > fetched || fetched > posted || posted - lane.completed() > lane.capacity()) {
                throw new ProxyException(ProxyResult.INTERNAL_ERROR, header + ": the books of " + lane
                        + " do not balance");
            }
        }
    }

    /**
     * Ops that were posted and have not ended, over all lanes. Any thread.
     *
     * @return pending + in flight
     */
    public long outstanding() {
        long sum = 0;
        for (OpsLane lane : lanes) {
            sum -= lane.completed();
            sum += lane.posted();
        }
        return sum;
    }

    /**
     * The ops that were fetched and have not ended, as the consumer last {@linkplain OpsFetcher#publishInFlight
     * published} them. Any thread.
     *
     * @return oldest first
     */
    public List<OpInFlight> inFlight() {
        List<OpInFlight> ops = new ArrayList<>();
        for (OpsLane lane : lanes) {
            ops.addAll(lane.inFlight());
        }
        ops.sort(Comparator.comparing(OpInFlight::age).reversed());
        return ops;
    }

    /**
     * Takes back the lanes of processes that have died. What they posted is carried out; what they appended and did not
     * post was never visible. Any thread.
     *
     * @return how many lanes
     */
    public int reap() {
        int count = 0;
        for (OpsLane lane : lanes) {
            if (lane.isForeign() && lane.owner().filter(owner -> !owner.isAlive()).isPresent()) {
                lane.release();
                count++;
            }
        }
        return count;
    }

    /** Tells posters in other processes that the proxy has left; unmaps and deletes the file. Idempotent. */
    @Override
    public void close() {
        header.close();
        backing.unmap().run();
    }
}

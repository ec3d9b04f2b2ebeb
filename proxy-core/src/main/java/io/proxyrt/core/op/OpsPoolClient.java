/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.op;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.platform.MappedFile;
import io.proxyrt.core.platform.Platform;
import java.nio.file.Path;

/**
 * The posting end of another process's {@link OpsPool}. What stands in the file is checked before it is used; a poster
 * that dies at any moment leaves the pool in order.
 */
public final class OpsPoolClient implements AutoCloseable {
    private final MappedFile file;
    private final OpsPoolHeader header;
    private final OpsLane[] lanes;
    private final MappedDoorbell doorbell;
    private final PosterSettings settings;

    private OpsPoolClient(MappedFile file, OpsPoolHeader header, ProxyConfig config) {
        this.file = file;
        this.header = header;
        this.lanes = OpsLane.all(file.segment(), header.lanes(), header.capacity());
        this.doorbell = MappedDoorbell.ofPoster(file.segment(), Platform.find());
        this.settings = PosterSettings.of(config);
    }

    /**
     * Maps the pool of a proxy of this host.
     *
     * @param path   of its file
     * @param config what posters do when their lane is full
     * @return owned by the caller
     * @throws ProxyException {@link ProxyResult#SYSTEM_ERROR} if the file cannot be mapped,
     *                        {@link ProxyResult#INVALID_ARGUMENT} if it is none, or of another version or kind, or if
     *                        its proxy is gone
     */
    public static OpsPoolClient open(Path path, ProxyConfig config) {
        MappedFile file = MappedFile.open(path, OpsPoolDescriptor.HEADER_BYTES);
        try {
            return new OpsPoolClient(file, OpsPoolHeader.open(file.segment(), path), config);
        } catch (Throwable t) {
            file.close();
            throw t;
        }
    }

    /**
     * Maps the pool that the service of a proxy announced, and checks that it is the one.
     *
     * @param announced of the response to Init
     * @param config    what posters do when their lane is full
     * @return owned by the caller
     * @throws ProxyException as {@link #open(Path, ProxyConfig)}; {@link ProxyResult#INVALID_ARGUMENT} too if
     *                        its size, version or owner is another
     */
    public static OpsPoolClient open(OpsPoolAddress announced, ProxyConfig config) {
        OpsPoolClient client = open(announced.path(), config);
        try {
            client.header.require(announced);
            return client;
        } catch (Throwable t) {
            client.close();
            throw t;
        }
    }

    /**
     * Claims a lane for the calling thread, or for the one thread that will use the poster.
     *
     * @return to be closed by that thread, before this client
     * @throws ProxyException {@link ProxyResult#INVALID_USAGE} if all lanes are taken
     */
    public OpsPoster poster() {
        return new OpsPoster(header, header.claim(lanes, !doorbell.isHeardAcrossProcesses()), doorbell, settings, null);
    }

    /** Unmaps the file. Idempotent. */
    @Override
    public void close() {
        file.close();
    }
}

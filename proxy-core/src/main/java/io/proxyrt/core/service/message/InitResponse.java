/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.service.message;

import io.proxyrt.core.ProcessIdentity;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.op.OpsPoolAddress;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Optional;

/**
 * A connection was made.
 *
 * @param connectionId names it; index and generation, no address
 * @param pool         where ops for it are posted by a process that maps the pool's file; empty if the connection needs
 *                     no ops, or the pool is of a kind that takes them by {@link StartRequest} only
 */
public record InitResponse(long connectionId, Optional<OpsPoolAddress> pool) {
    /**
     * For the wire.
     *
     * @param out gets: connection id; then, if there is a pool: version, bytes, pid, start and namespace of its
     *            process, path in UTF-8
     */
    public void encode(ByteBuffer out) {
        out.putLong(connectionId);
        pool.ifPresent(address -> out.putInt(address.version()).putLong(address.bytes()).putLong(address.owner().pid())
                .putLong(address.owner().start()).putLong(address.owner().namespace())
                .put(address.path().toString().getBytes(StandardCharsets.UTF_8)));
    }

    static InitResponse decode(ByteBuffer in) {
        try {
            long connectionId = in.getLong();
            if (!in.hasRemaining()) {
                return new InitResponse(connectionId, Optional.empty());
            }
            int version = in.getInt();
            long bytes = in.getLong();
            ProcessIdentity owner = new ProcessIdentity(in.getLong(), in.getLong(), in.getLong());
            Path path = Path.of(StandardCharsets.UTF_8.decode(in).toString());
            return new InitResponse(connectionId, Optional.of(new OpsPoolAddress(path, version, bytes, owner)));
        } catch (BufferUnderflowException | InvalidPathException e) {
            throw new ProxyException(ProxyResult.REMOTE_ERROR, "INIT: the response is broken: " + e, e);
        }
    }
}

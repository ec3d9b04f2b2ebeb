/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.uds;

import io.proxyrt.core.OwnedFd;
import io.proxyrt.core.PeerId;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.service.UdsHandler;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/** Exports memory by number, and keeps what it is sent. */
final class FakeHandler implements UdsHandler, AutoCloseable {
    final Map<Long, OwnedFd> exported = new ConcurrentHashMap<>();
    final List<OwnedFd> received = new CopyOnWriteArrayList<>();
    final List<PeerId> askers = new CopyOnWriteArrayList<>();
    final List<PeerId> gone = new CopyOnWriteArrayList<>();
    volatile RuntimeException next;

    /** Memory with its own number in its first bytes. */
    OwnedFd export(long handle) {
        OwnedFd fd = Rig.DESCRIPTORS.memfd("exported-" + handle, 4096);
        Rig.write(fd, handle);
        exported.put(handle, fd);
        return fd;
    }

    @Override
    public List<OwnedFd> onGetFd(PeerId peer, long[] handles) {
        askers.add(peer);
        throwNext();
        List<OwnedFd> fds = new ArrayList<>();
        try {
            for (long handle : handles) {
                OwnedFd fd = exported.get(handle);
                if (fd == null) {
                    throw new ProxyException(ProxyResult.INVALID_ARGUMENT, "no export has handle " + handle);
                }
                fds.add(Rig.DESCRIPTORS.duplicate(fd));
            }
            return fds;
        } catch (ProxyException e) {
            fds.forEach(OwnedFd::close);
            throw e;
        }
    }

    @Override
    public int[] onQueryFd(PeerId peer, List<OwnedFd> fds) {
        askers.add(peer);
        try {
            throwNext();
        } catch (RuntimeException e) {
            fds.forEach(OwnedFd::close);
            throw e;
        }
        received.addAll(fds);
        return fds.stream().mapToInt(OwnedFd::number).toArray();
    }

    @Override
    public void onDisconnect(PeerId peer) {
        gone.add(peer);
    }

    @Override
    public void close() {
        exported.values().forEach(OwnedFd::close);
        received.forEach(OwnedFd::close);
    }

    private void throwNext() {
        RuntimeException failure = next;
        next = null;
        if (failure != null) {
            throw failure;
        }
    }
}

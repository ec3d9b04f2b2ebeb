/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import io.proxyrt.core.PeerInfo;
import io.proxyrt.core.ProxyState;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;

/** What this process tells others about itself. */
final class LocalPeer {
    private static final long PROCESS_ID = UUID.randomUUID().getMostSignificantBits();

    private LocalPeer() {
    }

    static PeerInfo info(ProxyState proxy) {
        return new PeerInfo(proxy.rank(), hostHash(), ProcessHandle.current().pid(), PROCESS_ID,
                proxy.serviceAddress(), proxy.memory().address(), shmId());
    }

    /** As RCCL: the host's name and the kernel's boot id tell hosts apart. */
    private static long hostHash() {
        String identity = hostName() + bootId();
        return UUID.nameUUIDFromBytes(identity.getBytes(StandardCharsets.UTF_8)).getMostSignificantBits();
    }

    private static String hostName() {
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException e) {
            return "";
        }
    }

    /** Containers of one host may see different ones. */
    private static long shmId() {
        try {
            return ((Number) Files.getAttribute(Path.of("/dev/shm"), "unix:dev")).longValue();
        } catch (IOException | UnsupportedOperationException e) {
            return 0;
        }
    }

    private static String bootId() {
        try {
            return Files.readString(Path.of("/proc/sys/kernel/random/boot_id")).strip();
        } catch (IOException e) {
            return "";
        }
    }
}

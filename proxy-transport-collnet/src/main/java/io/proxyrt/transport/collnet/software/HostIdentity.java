/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.collnet.software;

import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.progress.PeerProcess;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;

/**
 * Which loopback interface a process has. Where ranks are told that they are on other hosts, it still is the same one.
 *
 * @param boot  of the kernel, a hash
 * @param netId number of the network namespace; 0 if the system does not tell
 */
record HostIdentity(long boot, long netId) {
    static final int BYTES = 2 * Long.BYTES;

    static HostIdentity own(ProxyConfig config) {
        PeerProcess self = PeerProcess.own(config);
        return new HostIdentity(boot(self.id()), self.netId());
    }

    static HostIdentity get(ByteBuffer in) {
        return new HostIdentity(in.getLong(), in.getLong());
    }

    void put(ByteBuffer out) {
        out.putLong(boot).putLong(netId);
    }

    /** Where the system does not tell, a process has the host for itself. */
    private static long boot(long otherwise) {
        try {
            String id = Files.readString(Path.of("/proc/sys/kernel/random/boot_id"));
            return UUID.nameUUIDFromBytes(id.getBytes(StandardCharsets.UTF_8)).getMostSignificantBits();
        } catch (IOException e) {
            return otherwise;
        }
    }
}

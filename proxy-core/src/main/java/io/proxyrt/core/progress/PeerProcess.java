/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.progress;

import io.proxyrt.core.ProcessIdentity;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.platform.CurrentUser;
import io.proxyrt.core.platform.HostName;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;

/**
 * The process of a rank, and what it sees of its host: containers of one host may differ in that.
 *
 * @param hostHash equal for processes of one host
 * @param pid      its number, in its own namespace
 * @param id       equal for ranks of one process
 * @param uid      number of its user; {@link #UNKNOWN} if the system does not tell
 * @param shmId    which /dev/shm it sees: the number of the device; 0 if it sees none
 * @param netId    which network namespace it is in, for names of abstract sockets; 0 if the system does not tell
 * @param start    when it began, as of {@link ProcessIdentity}; 0 if that is not known
 * @param pidSpace which namespace its number is of; 0 if the system does not tell
 */
public record PeerProcess(long hostHash, long pid, long id, int uid, long shmId, long netId, long start,
                          long pidSpace) {
    /** In place of a user. */
    public static final int UNKNOWN = CurrentUser.UNKNOWN;
    private static final long OWN_ID = UUID.randomUUID().getMostSignificantBits();

    /**
     * One of whose beginning nothing is known.
     *
     * @param hostHash equal for processes of one host
     * @param pid      its number
     * @param id       equal for ranks of one process
     * @param uid      number of its user
     * @param shmId    which /dev/shm it sees
     * @param netId    which network namespace it is in
     */
    public PeerProcess(long hostHash, long pid, long id, int uid, long shmId, long netId) {
        this(hostHash, pid, id, uid, shmId, netId, 0, 0);
    }

    /**
     * Tells it from one that gets its number later.
     *
     * @return for a process of this host
     */
    public ProcessIdentity identity() {
        return new ProcessIdentity(pid, start, pidSpace);
    }

    /**
     * The process that calls.
     *
     * @param config may say {@link CoreOptions#HOST_ID which host} it takes itself to be on
     * @return what is equal for all ranks of this process
     */
    public static PeerProcess own(ProxyConfig config) {
        ProcessIdentity self = ProcessIdentity.current();
        return new PeerProcess(hostHash(config.get(CoreOptions.HOST_ID)), self.pid(), OWN_ID, CurrentUser.id(),
                attribute("/dev/shm", "unix:dev", 0), netNamespace(), self.start(), self.namespace());
    }

    /** As RCCL: what the user says, or the host's name and the kernel's boot id. */
    private static long hostHash(String given) {
        String identity = given.isEmpty() ? HostName.full() + bootId() : given;
        return UUID.nameUUIDFromBytes(identity.getBytes(StandardCharsets.UTF_8)).getMostSignificantBits();
    }

    private static String bootId() {
        try {
            return Files.readString(Path.of("/proc/sys/kernel/random/boot_id")).strip();
        } catch (IOException e) {
            return "";
        }
    }

    /** The link reads {@code net:[4026531840]}. */
    private static long netNamespace() {
        try {
            return Long.parseLong(Files.readSymbolicLink(Path.of("/proc/self/ns/net")).toString()
                    .replaceAll("\\D", ""));
        } catch (IOException | UnsupportedOperationException | NumberFormatException e) {
            return 0;
        }
    }

    private static long attribute(String path, String name, long otherwise) {
        try {
            return ((Number) Files.getAttribute(Path.of(path), name)).longValue();
        } catch (IOException | UnsupportedOperationException | IllegalArgumentException e) {
            return otherwise;
        }
    }
}

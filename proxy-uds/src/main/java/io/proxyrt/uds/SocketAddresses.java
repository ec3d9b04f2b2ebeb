/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.uds;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.Subsystem;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.platform.Leftovers;
import io.proxyrt.core.platform.PrivateDirectory;
import io.proxyrt.core.platform.UnixSockets;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.Set;
import org.slf4j.Logger;

/** Names of sockets, and the folders of those that have a path. */
final class SocketAddresses {
    private static final Logger LOGGER = Subsystem.PROXY.logger();
    private static final SecureRandom RANDOM = new SecureRandom();
    private static final String RUNTIME_DIRECTORY = "XDG_RUNTIME_DIR";

    private SocketAddresses() {
    }

    /** A name that is not taken; for a path, in a new folder that no other user can enter, whatever its mode. */
    static String create(ProxyConfig config, int rank) {
        String name = "proxyrt-socket-" + rank + "-" + HexFormat.of().toHexDigits(RANDOM.nextLong());
        if (config.get(UdsOptions.NAMESPACE) == Namespace.ABSTRACT) {
            return "@" + name;
        }
        Path parent = parent(config);
        Path folder = parent.resolve("proxyrt-" + HexFormat.of().toHexDigits(RANDOM.nextLong()));
        String path = folder.resolve(name).toString();
        int length = path.getBytes(StandardCharsets.UTF_8).length;
        if (length > UnixSockets.MAX_ADDRESS_BYTES) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, UdsOptions.DIRECTORY + ": the socket's path '" + path
                    + "' has " + length + " bytes, and the system takes " + UnixSockets.MAX_ADDRESS_BYTES
                    + "; choose a shorter folder");
        }
        try {
            return Leftovers.make(() -> make(folder, name));
        } catch (ProxyException e) {
            throw new ProxyException(ProxyResult.SYSTEM_ERROR, "the UDS thread of rank " + rank
                    + " has no folder for its socket: " + e.getMessage() + "; set " + UdsOptions.DIRECTORY
                    + " to one that this user may write to, or " + UdsOptions.NAMESPACE + " to abstract", e);
        }
    }

    private static String make(Path folder, String name) {
        PrivateDirectory.makeNew(folder);
        Leftovers.add(folder, () -> remove(folder, name));
        return folder.resolve(name).toString();
    }

    /** Removes a path and the folder that was made for it; there is nothing to do for an abstract name. */
    static void delete(String address) {
        if (address.startsWith("@")) {
            return;
        }
        Leftovers.remove(Path.of(address).getParent());
    }

    private static void remove(Path folder, String socket) {
        if (!PrivateDirectory.remove(folder, Set.of(socket))) {
            LOGGER.warn("{} is left alone: it holds something else than a socket, or is not this user's alone", folder);
        }
    }

    private static Path parent(ProxyConfig config) {
        String directory = config.get(UdsOptions.DIRECTORY);
        return directory.isEmpty() ? parent(System.getenv(RUNTIME_DIRECTORY)) : Path.of(directory).toAbsolutePath();
    }

    /** The session's folder, unless it is that of another user, whom this process was before. */
    static Path parent(String runtime) {
        return runtime != null && Path.of(runtime).isAbsolute() && PrivateDirectory.isPrivate(Path.of(runtime))
                ? Path.of(runtime) : Path.of(System.getProperty("java.io.tmpdir")).toAbsolutePath();
    }
}

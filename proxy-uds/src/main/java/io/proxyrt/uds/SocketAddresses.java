/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.uds;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.spi.UnixSockets;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.HexFormat;

/** Names of sockets, and the folders of those that have a path. */
final class SocketAddresses {
    private static final SecureRandom RANDOM = new SecureRandom();
    private static final String RUNTIME_DIRECTORY = "XDG_RUNTIME_DIR";

    private SocketAddresses() {
    }

    /** A name nobody has; for a path, in a new folder that keeps all others out, whatever the mode of the socket. */
    static String create(ProxyConfig config, int rank) {
        String name = "proxyrt-socket-" + rank + "-" + HexFormat.of().toHexDigits(RANDOM.nextLong());
        if (config.get(UdsOptions.NAMESPACE) == Namespace.ABSTRACT) {
            return "@" + name;
        }
        Path parent = parent(config);
        Path folder;
        try {
            folder = Files.createTempDirectory(parent, "proxyrt-",
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        } catch (IOException e) {
            throw new ProxyException(ProxyResult.SYSTEM_ERROR, "the UDS thread of rank " + rank
                    + " cannot make a folder for its socket in " + parent + ": " + e + "; set " + UdsOptions.DIRECTORY
                    + " to one that this user may write to, or " + UdsOptions.NAMESPACE + " to abstract", e);
        }
        String path = folder.resolve(name).toString();
        int length = path.getBytes(StandardCharsets.UTF_8).length;
        if (length > UnixSockets.MAX_ADDRESS_BYTES) {
            delete(path);
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, UdsOptions.DIRECTORY + ": the socket's path '" + path
                    + "' has " + length + " bytes, and the system takes " + UnixSockets.MAX_ADDRESS_BYTES
                    + "; choose a shorter folder");
        }
        return path;
    }

    /** Removes a path and the folder that was made for it; there is nothing to do for an abstract name. */
    static void delete(String address) {
        if (address.startsWith("@")) {
            return;
        }
        try {
            Path path = Path.of(address);
            Files.deleteIfExists(path);
            Files.deleteIfExists(path.getParent());
        } catch (IOException e) {
            throw new ProxyException(ProxyResult.SYSTEM_ERROR, "cannot remove " + address + ": " + e, e);
        }
    }

    private static Path parent(ProxyConfig config) {
        String directory = config.get(UdsOptions.DIRECTORY);
        if (!directory.isEmpty()) {
            return Path.of(directory).toAbsolutePath();
        }
        String runtime = System.getenv(RUNTIME_DIRECTORY);
        return runtime != null && Files.isWritable(Path.of(runtime)) ? Path.of(runtime)
                : Path.of(System.getProperty("java.io.tmpdir")).toAbsolutePath();
    }
}

/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.uds;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.config.ProxyConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files that the UDS thread has, and who else could have put them there. */
class SocketAddressesTest {
    @TempDir
    private Path folder;

    @Test
    void shouldUseTheSessionsFolderOnlyIfItIsThisUsersAlone() throws IOException {
        Path temp = Path.of(System.getProperty("java.io.tmpdir")).toAbsolutePath();
        assertEquals(folder, SocketAddresses.parent(folder.toString()));
        assertEquals(temp, SocketAddresses.parent((String) null));
        assertEquals(temp, SocketAddresses.parent("relative"));
        assertEquals(temp, SocketAddresses.parent(folder.resolve("absent").toString()));
        assertEquals(temp, SocketAddresses.parent(
                Files.createSymbolicLink(folder.resolve("link"), folder).toString()));
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxrwxrwx"));
        assertEquals(temp, SocketAddresses.parent(folder.toString()));
    }

    @Test
    void shouldRemoveNothingOfAnothersWhereItsFolderWas() throws IOException {
        Path socket = Path.of(SocketAddresses.create(ProxyConfig.builder().environment(Map.of())
                .set("uds.namespace", "path").set("uds.directory", folder.toString()).build(), 0));
        Path moved = Files.move(socket.getParent(), folder.resolve("moved"));
        Path precious = Files.createDirectory(folder.resolve("precious"));
        Files.writeString(precious.resolve(socket.getFileName()), "private");
        Files.createSymbolicLink(socket.getParent(), precious);

        SocketAddresses.delete(socket.toString());

        assertEquals("private", Files.readString(precious.resolve(socket.getFileName())));
        assertTrue(Files.exists(moved));
    }

    /** Whatever the umask was, no other user could write to the library that this process runs. */
    @Test
    void shouldUnpackALibraryWhereNoOtherUserCanEnter() throws IOException {
        Rig.endpoint(SocketsKind.JUNIXSOCKET, 1, Rig.SECRET, new FakeHandler()).onClose();

        List<String> libraries = Files.readAllLines(Path.of("/proc/self/maps")).stream()
                .filter(line -> line.contains("libtmp")).toList();

        assertFalse(libraries.isEmpty());
        for (String library : libraries) {
            Path unpacked = Path.of(library.replaceFirst(".*? /", "/").replace(" (deleted)", ""));
            assertTrue(unpacked.getParent().getFileName().toString().startsWith("proxyrt-"), library);
            assertFalse(Files.exists(unpacked.getParent()), library);
        }
    }
}

/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.platform;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PrivateDirectoryTest {
    @TempDir
    private Path parent;

    @Test
    void shouldMakeAFolderForItsOwnerOnly() throws IOException {
        Path path = parent.resolve("above/own");
        try (PrivateDirectory own = PrivateDirectory.make(path)) {
            assertEquals("rwx------", mode(path));
            assertEquals("rwx------", mode(parent.resolve("above")));
            assertEquals("rwx------", mode(own.makeFolder("inner").orElseThrow()));
            assertEquals(List.of("inner"), own.names());
        }
        assertTrue(PrivateDirectory.isPrivate(path));
        PrivateDirectory.make(path).close();
    }

    @Test
    void shouldFindNothingWhereThereIsNothing() {
        assertTrue(PrivateDirectory.find(parent.resolve("none")).isEmpty());
        assertTrue(PrivateDirectory.find(parent.resolve("none/deeper")).isEmpty());
        assertTrue(PrivateDirectory.remove(parent.resolve("none"), Set.of()));
    }

    @Test
    void shouldTrustNoLinkNoFileNoPipeAndNoFolderOfOthers() throws Exception {
        Path own = own();
        assertRefused(Files.createSymbolicLink(parent.resolve("link"), own), "symbolic link");
        assertRefused(Files.createFile(parent.resolve("file")), "no folder");
        assertRefused(pipe(parent.resolve("pipe")), "no folder");
        Path open = Files.createDirectory(parent.resolve("open"));
        Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rwx-----x"));
        assertRefused(open, "its mode is rwx-----x, not rwx------");
        assumeTrue(CurrentUser.id() == 0, "only root gives files away");
        Files.setAttribute(own, "unix:uid", 12_345);
        assertRefused(own, "belongs to user 12345, not to this process's 0");
    }

    @Test
    void shouldStayInTheFolderThatItOpened() throws IOException {
        Path path = own();
        try (PrivateDirectory own = PrivateDirectory.find(path).orElseThrow()) {
            Path moved = Files.move(path, parent.resolve("moved"));
            Path other = Files.createDirectory(path);
            Files.writeString(other.resolve("file"), "another's");
            Files.writeString(moved.resolve("file"), "own");
            own.deleteFiles(Set.of("file"));
            assertTrue(Files.exists(other.resolve("file")));
            assertFalse(Files.exists(moved.resolve("file")));
            own.write("file", new byte[] {1});
            assertArrayEquals(new byte[] {1}, Files.readAllBytes(moved.resolve("file")));
            assertEquals(Optional.empty(), own.makeFolder("folder"));
            Files.delete(other.resolve("file"));
            Files.delete(other.resolve("folder"));
            own.removeIfEmpty();
            assertTrue(Files.exists(other), "not the one that it opened");
        }
    }

    @Test
    void shouldDeletePlainFilesAndSocketsOnly() throws Exception {
        Path path = own();
        Path elsewhere = Files.writeString(parent.resolve("elsewhere"), "x");
        Files.createSymbolicLink(path.resolve("link"), elsewhere);
        Files.createDirectory(path.resolve("folder"));
        Files.createFile(path.resolve("file"));
        try (ServerSocketChannel socket = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            socket.bind(UnixDomainSocketAddress.of(path.resolve("socket")));
        }
        assertFalse(PrivateDirectory.remove(path, Set.of("link", "folder", "file", "socket", "none")));
        try (PrivateDirectory own = PrivateDirectory.find(path).orElseThrow()) {
            assertEquals(Set.of("link", "folder"), new HashSet<>(own.names()));
            assertFalse(own.removeFolder("link", Set.of()));
            assertTrue(own.removeFolder("none", Set.of()));
            assertTrue(own.removeFolder("folder", Set.of()));
        }
        Files.delete(path.resolve("link"));
        assertTrue(PrivateDirectory.remove(path, Set.of()));
        assertTrue(Files.exists(elsewhere));
        assertFalse(Files.exists(path));
    }

    @Test
    void shouldWriteAFileWholeInPlaceOfALink() throws IOException {
        Path elsewhere = Files.writeString(parent.resolve("elsewhere"), "precious");
        Path path = own();
        Files.createSymbolicLink(path.resolve("file"), elsewhere);
        try (PrivateDirectory own = PrivateDirectory.find(path).orElseThrow()) {
            assertEquals(Optional.empty(), own.read("file", 100), "a link is not followed");
            own.write("file", new byte[] {1, 2});
            assertArrayEquals(new byte[] {1, 2}, own.read("file", 2).orElseThrow());
            assertEquals(Optional.empty(), own.read("file", 1));
            assertEquals(Optional.empty(), own.read("none", 100));
            assertEquals(List.of("file"), own.names());
        }
        assertEquals("rw-------", mode(path.resolve("file")));
        assertEquals("precious", Files.readString(elsewhere));
    }

    @Test
    void shouldNotReadFromAPipe() throws Exception {
        Path path = own();
        pipe(path.resolve("pipe"));
        try (PrivateDirectory own = PrivateDirectory.find(path).orElseThrow()) {
            assertEquals(Optional.empty(), own.read("pipe", 100));
        }
    }

    /** A umask is its process's, so each has one of its own. */
    @Test
    void shouldMakeItsFilesForTheOwnerOnlyWhateverTheUmask() throws Exception {
        for (String umask : List.of("000", "022", "077", "277", "777")) {
            Path path = parent.resolve("umask-" + umask);
            Process child = new ProcessBuilder("sh", "-c", "umask " + umask + "; exec \"$0\" \"$@\"",
                    Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                    "-Dslf4j.internal.verbosity=ERROR", "-cp", classPath(), Making.class.getName(),
                    path.toString()).inheritIO().start();
            assertEquals(0, child.waitFor(), umask);
            assertEquals("rwx------", mode(path), umask);
            assertEquals("rwx------", mode(path.resolve("inner")), umask);
            assertEquals("rw-------", mode(path.resolve("inner/file")), umask);
        }
    }

    static final class Making {
        private Making() {
        }

        public static void main(String[] args) {
            try (PrivateDirectory own = PrivateDirectory.make(Path.of(args[0]))) {
                MappedFile.create(own.makeFolder("inner").orElseThrow().resolve("file"), 100);
            }
        }
    }

    private Path own() {
        try (PrivateDirectory own = PrivateDirectory.make(parent.resolve("own"))) {
            return own.path();
        }
    }

    static String classPath() throws Exception {
        Path classes = Path.of(PrivateDirectory.class.getProtectionDomain().getCodeSource().getLocation().toURI());
        return String.join(":", System.getProperty("jdk.module.path", ""), System.getProperty("java.class.path", ""),
                classes.toString(), classes.resolveSibling("test-classes").toString());
    }

    private static Path pipe(Path path) throws Exception {
        assertEquals(0, new ProcessBuilder("mkfifo", path.toString()).start().waitFor());
        return path;
    }

    private static String mode(Path path) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
    }

    private static void assertRefused(Path path, String why) {
        ProxyException found = assertThrows(ProxyException.class, () -> PrivateDirectory.find(path));
        assertEquals(ProxyResult.INVALID_ARGUMENT, found.result());
        assertTrue(found.getMessage().contains(path.toString()) && found.getMessage().contains(why),
                found.getMessage());
        assertThrows(ProxyException.class, () -> PrivateDirectory.make(path));
        assertFalse(PrivateDirectory.isPrivate(path));
        assertFalse(PrivateDirectory.remove(path, Set.of()));
    }
}

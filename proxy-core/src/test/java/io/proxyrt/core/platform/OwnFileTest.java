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
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;

class OwnFileTest {
    @TempDir
    private Path folder;

    @Test
    void shouldKnowItsUserAsTheKernelDoes() throws Exception {
        Process id = new ProcessBuilder("id", "-u").start();
        assertEquals(new String(id.getInputStream().readAllBytes(), StandardCharsets.US_ASCII).strip(),
                Integer.toString(CurrentUser.id()));
    }

    @Test
    void shouldNeitherFollowALinkNorWaitForAPipe() throws Exception {
        Path file = write("file", "rw-------");
        Path link = Files.createSymbolicLink(folder.resolve("link"), file);
        Path pipe = folder.resolve("pipe");
        assertEquals(0, new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor());
        for (Path path : List.of(link, pipe, folder, folder.resolve("none"))) {
            assertRefused("no regular file", path);
        }
        OwnFile.open(file, StandardOpenOption.READ).close();
    }

    /** A file system in a zip file says as little of owners as one of Windows. */
    @Test
    void shouldSayWhatIsMissingWhereFilesHaveNoOwners() throws IOException {
        Path zip = folder.resolve("files.zip");
        try (FileSystem files = FileSystems.newFileSystem(zip, Map.of("create", "true"))) {
            Path path = Files.createDirectory(files.getPath("/folder"));
            for (Executable use : List.<Executable>of(() -> PrivateDirectory.find(path),
                    () -> PrivateDirectory.make(path), () -> PrivateDirectory.makeNew(path.resolve("new")),
                    () -> OwnFile.open(path), () -> OwnFile.read(path, 1))) {
                ProxyException refusal = assertThrows(ProxyException.class, use);
                assertEquals(ProxyResult.SYSTEM_ERROR, refusal.result());
                assertTrue(refusal.getMessage().matches("cannot use /folder.* owners and modes .* Linux of WSL"),
                        refusal.getMessage());
            }
        }
    }

    @Test
    void shouldRefuseWhatOthersMayWriteOrOwn() throws IOException {
        for (String permissions : List.of("rw--w----", "rw-----w-")) {
            assertRefused("others may write it", write("of-" + permissions, permissions));
        }
        OwnFile.open(write("readable", "rw-r--r--"), StandardOpenOption.READ).close();
        Path given = write("given", "rw-------");
        assumeTrue(CurrentUser.id() == 0, "only root gives files away");
        Files.setAttribute(given, "unix:uid", 12_345);
        assertRefused("it belongs to user 12345, not to this process's 0", given);
        assertRefusedToRead("it belongs to user 12345", given, 100);
    }

    @Test
    void shouldReadASecretOfThisUserAlone() throws IOException {
        Path file = write("file", "rw-------");
        assertArrayEquals(Files.readAllBytes(file), OwnFile.read(file, 100));
        assertRefusedToRead("it has more than 3 bytes", file, 3);
        assertRefusedToRead("others may read or write it", write("open", "rw-r-----"), 100);
    }

    @Test
    void shouldReadASecretThroughALinkOfThisUserOnly() throws IOException {
        Path file = write("file", "rw-------");
        Path link = Files.createSymbolicLink(folder.resolve("link"), file);
        assertArrayEquals(Files.readAllBytes(file), OwnFile.read(link, 100));
        assumeTrue(CurrentUser.id() == 0, "only root gives files away");
        Files.setAttribute(link, "unix:uid", 12_345, LinkOption.NOFOLLOW_LINKS);
        assertRefusedToRead("it is a link that user 12345 made", link, 100);
    }

    @Test
    void shouldReplaceARegularFileOnly() throws Exception {
        Path file = write("file", "rw-------");
        OwnFile.write(file, "new");
        assertEquals("new", Files.readString(file));
        Path pipe = folder.resolve("pipe");
        assertEquals(0, new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor());
        for (Path path : List.of(pipe, folder, folder.resolve("none/file"))) {
            ProxyException refused = assertThrows(ProxyException.class, () -> OwnFile.write(path, "new"));
            assertEquals(ProxyResult.SYSTEM_ERROR, refused.result());
            assertTrue(refused.getMessage().startsWith("cannot write " + path + ": "), refused.getMessage());
        }
        try (Stream<Path> left = Files.list(folder)) {
            assertEquals(Set.of(file, pipe), left.collect(Collectors.toSet()));
        }
    }

    @Test
    void shouldWriteThroughALinkOfThisUserOnly() throws IOException {
        Path file = write("file", "rw-------");
        Path link = Files.createSymbolicLink(folder.resolve("link"), file);
        OwnFile.write(link, "new");
        assertEquals("new", Files.readString(file));
        assertTrue(Files.isSymbolicLink(link));
        assumeTrue(CurrentUser.id() == 0, "only root gives files away");
        Files.setAttribute(link, "unix:uid", 12_345, LinkOption.NOFOLLOW_LINKS);
        ProxyException refused = assertThrows(ProxyException.class, () -> OwnFile.write(link, "newer"));
        assertTrue(refused.getMessage().contains("it is a link that user 12345 made"), refused.getMessage());
        assertEquals("new", Files.readString(file));
    }

    @Test
    void shouldMapNoFileThroughALink() throws IOException {
        Path file = write("file", "rw-------");
        Path link = Files.createSymbolicLink(folder.resolve("link"), file);
        Path dangling = Files.createSymbolicLink(folder.resolve("dangling"), folder.resolve("none"));
        assertThrows(ProxyException.class, () -> MappedFile.open(link, 1));
        assertThrows(ProxyException.class, () -> MappedFile.create(link, 1));
        assertThrows(ProxyException.class, () -> MappedFile.create(dangling, 1));
        assertFalse(Files.exists(folder.resolve("none")));
        MappedFile.open(file, 1).close();
        assertTrue(Files.exists(file));
    }

    @Test
    void shouldRemoveTheNameOfItsOwnFileOnly() throws IOException {
        Path path = folder.resolve("mapped");
        MappedFile first = MappedFile.create(path, 10);
        Files.delete(path);
        Files.writeString(path, "another's");
        first.close();
        assertEquals("another's", Files.readString(path));
        Files.delete(path);
        MappedFile second = MappedFile.create(path, 10);
        second.removeName();
        assertFalse(Files.exists(path));
        Files.writeString(path, "another's");
        second.close();
        assertEquals("another's", Files.readString(path));
    }

    private Path write(String name, String permissions) throws IOException {
        Path file = Files.writeString(folder.resolve(name), "0123456789abcdef");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(permissions));
        return file;
    }

    private static void assertRefused(String why, Path path) {
        ProxyException refused = assertThrows(ProxyException.class,
                () -> OwnFile.open(path, StandardOpenOption.READ).close());
        assertEquals(ProxyResult.SYSTEM_ERROR, refused.result());
        assertTrue(refused.getMessage().contains(why) && refused.getMessage().contains(path.toString()),
                refused.getMessage());
    }

    private static void assertRefusedToRead(String why, Path path, int maxBytes) {
        ProxyException refused = assertThrows(ProxyException.class, () -> OwnFile.read(path, maxBytes));
        assertTrue(refused.getMessage().contains(why), refused.getMessage());
    }
}

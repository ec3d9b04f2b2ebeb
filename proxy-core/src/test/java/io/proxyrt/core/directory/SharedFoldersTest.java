/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.directory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.proxyrt.core.platform.CurrentUser;
import io.proxyrt.core.platform.PrivateDirectory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SharedFoldersTest {
    @TempDir
    private Path parent;
    private Path first;
    private SharedFolders folders;

    @BeforeEach
    void look() {
        first = parent.resolve("proxyrt-" + CurrentUser.id());
        folders = SharedFolders.below(parent);
    }

    @Test
    void shouldBeOfANameThatFollowsFromTheUsersNumber() {
        assertEquals(List.of(), existing());
        assertEquals(first, make());
        assertEquals(List.of(first), existing());
    }

    @Test
    void shouldGoElsewhereWhereAnotherUserHasTakenTheName() throws IOException {
        giveAway(Files.createDirectory(first));
        Path instead = make();
        assertTrue(instead.getFileName().toString().matches("proxyrt-0-[0-9a-f]{16}"), instead::toString);
        assertEquals("rwx------", PosixFilePermissions.toString(Files.getPosixFilePermissions(instead)));
        assertEquals(instead, make(), "and all runtimes to the same place");
        assertEquals(List.of(instead), existing());
    }

    @Test
    void shouldGoElsewhereWhereTheNameIsALinkOrNoFolderOrOpenToAll() throws IOException {
        PrivateDirectory.make(parent.resolve("own")).close();
        Files.createSymbolicLink(first, parent.resolve("own"));
        Path instead = make();
        Files.delete(first);
        Files.writeString(first, "a file");
        assertEquals(instead, make());
        Files.delete(first);
        Files.createDirectory(first);
        Files.setPosixFilePermissions(first, PosixFilePermissions.fromString("rwxrwxrwx"));
        assertEquals(instead, make());
        assertEquals(List.of(instead), existing());
    }

    @Test
    void shouldFindTheOtherFolderAfterTheNameIsFreeAgain() throws IOException {
        giveAway(Files.createDirectory(first));
        Path instead = make();
        Files.delete(first);
        assertEquals(first, make());
        assertEquals(List.of(first, instead), existing());
    }

    @Test
    void shouldTakeNoFolderThatAnotherUserMadeForIt() throws IOException {
        giveAway(Files.createDirectory(first));
        Path bait = Files.createDirectory(parent.resolve("proxyrt-0-0000000000000000"));
        Files.setPosixFilePermissions(bait, PosixFilePermissions.fromString("rwx------"));
        giveAway(bait);
        Files.createSymbolicLink(parent.resolve("proxyrt-0-0000000000000001"), parent);
        Path instead = make();
        assertTrue(instead.toString().compareTo(bait + "1") > 0, instead::toString);
        assertEquals(List.of(instead), existing());
    }

    private Path make() {
        try (PrivateDirectory made = folders.make()) {
            return made.path();
        }
    }

    private List<Path> existing() {
        List<PrivateDirectory> found = folders.existing();
        found.forEach(PrivateDirectory::close);
        return found.stream().map(PrivateDirectory::path).toList();
    }

    private static void giveAway(Path path) throws IOException {
        assumeTrue(CurrentUser.id() == 0, "only root gives files away");
        Files.setAttribute(path, "unix:uid", 12_345);
    }
}

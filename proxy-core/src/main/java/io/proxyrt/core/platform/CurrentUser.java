/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.platform;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.UserPrincipal;

/** The user that this process acts for, as the kernel says: {@code user.name} can be set to anything. */
public final class CurrentUser {
    /** In place of a number that the system does not tell. */
    public static final int UNKNOWN = -1;
    private static final CurrentUser SELF = find();

    private final int id;
    private final UserPrincipal principal;

    private CurrentUser(int id, UserPrincipal principal) {
        this.id = id;
        this.principal = principal;
    }

    /**
     * The effective user.
     *
     * @return its number; {@link #UNKNOWN} if the system does not tell
     */
    public static int id() {
        return SELF.id;
    }

    /** Whether the file belongs to this user; false if the system does not tell. */
    static boolean owns(PosixFileAttributes file) {
        return file.owner().equals(SELF.principal);
    }

    /** Elsewhere than on Linux, whose is a file that it makes. */
    private static CurrentUser find() {
        try {
            Path process = Path.of("/proc/self");
            if (Files.exists(process)) {
                return ownerOf(process);
            }
            Path file = Files.createTempFile("proxyrt", null);
            try {
                return ownerOf(file);
            } finally {
                Files.delete(file);
            }
        } catch (IOException | UnsupportedOperationException | IllegalArgumentException e) {
            return new CurrentUser(UNKNOWN, null);
        }
    }

    private static CurrentUser ownerOf(Path file) throws IOException {
        return new CurrentUser((int) Files.getAttribute(file, "unix:uid"), Files.getOwner(file));
    }
}

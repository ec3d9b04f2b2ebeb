/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.shm;

import io.proxyrt.core.ProcessIdentity;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.Subsystem;
import io.proxyrt.core.platform.CurrentUser;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.slf4j.Logger;

/** Names of segments that are files: they tell who made them, so that those of dead processes can be removed. */
final class SegmentFile {
    private static final Logger LOGGER = Subsystem.SHM.logger();
    private static final String PREFIX = "proxyrt-shm-";
    /** pid, start and PID namespace of the maker, 64 random bits. */
    private static final Pattern NAME = Pattern.compile(
            PREFIX + "(\\d{1,18})-(\\d{1,18})-(\\d{1,18})-[0-9a-f]{16}");
    private static final SecureRandom RANDOM = new SecureRandom();

    private SegmentFile() {
    }

    static String newName() {
        ProcessIdentity self = ProcessIdentity.current();
        return PREFIX + self.pid() + '-' + self.start() + '-' + self.namespace() + '-'
                + String.format("%016x", RANDOM.nextLong());
    }

    /** Refuses a name that leads out of the folder, or to what is no segment. */
    static String checked(String name) {
        if (!NAME.matcher(name).matches()) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, "SHM segment of a peer has no name of a segment");
        }
        return name;
    }

    /** Whether it is a file, and this process's user's; no link. */
    static boolean isOwn(Path path) throws IOException {
        return Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS)
                && CurrentUser.id() == (int) Files.getAttribute(path, "unix:uid", LinkOption.NOFOLLOW_LINKS);
    }

    /** Removes what processes of this user that are gone have left in a folder. */
    static void reap(Path folder) {
        try (Stream<Path> paths = Files.list(folder)) {
            paths.filter(SegmentFile::isLeftBehind).forEach(SegmentFile::remove);
        } catch (IOException | UncheckedIOException e) {
            LOGGER.debug("{} is not looked through for old segments", folder, e);
        }
    }

    private static boolean isLeftBehind(Path path) {
        Matcher name = NAME.matcher(path.getFileName().toString());
        try {
            return name.matches() && isOwn(path) && !new ProcessIdentity(Long.parseLong(name.group(1)),
                    Long.parseLong(name.group(2)), Long.parseLong(name.group(3))).isAlive();
        } catch (IOException e) {
            LOGGER.trace("{} is gone meanwhile", path, e);
            return false;
        }
    }

    private static void remove(Path path) {
        try {
            Files.delete(path);
            LOGGER.info("removed {}, left behind by a process that is gone", path);
        } catch (NoSuchFileException e) {
            LOGGER.trace("another process removed {}", path, e);
        } catch (IOException e) {
            LOGGER.warn("cannot remove {}: {}", path, e.toString());
        }
    }
}

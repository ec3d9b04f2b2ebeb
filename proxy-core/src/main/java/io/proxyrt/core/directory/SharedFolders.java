/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.directory;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.Subsystem;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.platform.CurrentUser;
import io.proxyrt.core.platform.PrivateDirectory;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import org.slf4j.Logger;

/**
 * The folders that the runtimes of a user share. One that the user configured is that one, or none. Else it is one of a
 * name that everybody can foretell, so another user may have taken it: then it is another beside it, of a random name,
 * which runtimes and tools find again because this user owns it.
 */
final class SharedFolders {
    private static final Logger LOGGER = Subsystem.INIT.logger();
    private static final Path SHM = Path.of("/dev/shm");
    private static final int RANDOM_DIGITS = 16;
    /** Of which it was said already that they are taken: {@code stat -w} looks every second. */
    private static final Set<Path> SAID = ConcurrentHashMap.newKeySet();

    private final Path first;
    private final boolean isConfigured;

    private SharedFolders(Path first, boolean isConfigured) {
        this.first = first;
        this.isConfigured = isConfigured;
    }

    static SharedFolders of(ProxyConfig config) {
        String configured = config.get(CoreOptions.DIRECTORY);
        return configured.isEmpty()
                ? below(Files.isWritable(SHM) ? SHM : Path.of(System.getProperty("java.io.tmpdir")).toAbsolutePath())
                : new SharedFolders(Path.of(configured), true);
    }

    /** Where nothing is configured. */
    static SharedFolders below(Path parent) {
        return new SharedFolders(parent.resolve("proxyrt-" + Integer.toUnsignedString(CurrentUser.id())), false);
    }

    /** The one to work in; made if there is none. */
    PrivateDirectory make() {
        try {
            return PrivateDirectory.make(first);
        } catch (ProxyException e) {
            if (isConfigured || e.result() != ProxyResult.INVALID_ARGUMENT) {
                throw refusal(e);
            }
            PrivateDirectory other = other();
            sayOnce(e.getMessage() + "; " + other.path() + " is used instead");
            return other;
        }
    }

    /** Those that there are, to be closed by the caller. */
    List<PrivateDirectory> existing() {
        List<PrivateDirectory> found = new ArrayList<>();
        try {
            PrivateDirectory.find(first).ifPresent(found::add);
        } catch (ProxyException e) {
            if (isConfigured) {
                throw refusal(e);
            }
            sayOnce(e.getMessage() + "; it is passed over");
        }
        if (!isConfigured) {
            for (Path path : others()) {
                find(path, found);
            }
        }
        return found;
    }

    @Override
    public String toString() {
        return first.toString();
    }

    private PrivateDirectory other() {
        List<PrivateDirectory> found = new ArrayList<>();
        for (Path path : others()) {
            if (find(path, found)) {
                return found.getFirst();
            }
        }
        return PrivateDirectory.make(first.resolveSibling(
                first.getFileName() + "-" + HexFormat.of().toHexDigits(new SecureRandom().nextLong())));
    }

    /** Another user may have made one of such a name, too, which is no trouble. */
    private static boolean find(Path path, List<PrivateDirectory> found) {
        try {
            return PrivateDirectory.find(path).map(found::add).orElse(false);
        } catch (ProxyException e) {
            LOGGER.debug("{}", e.getMessage());
            return false;
        }
    }

    private List<Path> others() {
        Predicate<String> isOther = Pattern.compile(
                Pattern.quote(first.getFileName() + "-") + "[0-9a-f]{" + RANDOM_DIGITS + "}").asMatchPredicate();
        List<Path> paths = new ArrayList<>();
        try (DirectoryStream<Path> all = Files.newDirectoryStream(first.getParent(),
                path -> isOther.test(path.getFileName().toString()))) {
            all.forEach(paths::add);
        } catch (IOException e) {
            LOGGER.debug("{} cannot be listed", first.getParent(), e);
        }
        paths.sort(null);
        return paths;
    }

    private static ProxyException refusal(ProxyException e) {
        return new ProxyException(e.result(), e.getMessage() + "; set " + CoreOptions.DIRECTORY
                + " to a folder that is this user's alone, with mode 0700, or to one that does not exist yet", e);
    }

    private void sayOnce(String text) {
        if (SAID.add(first)) {
            LOGGER.warn("{}", text);
        }
    }
}

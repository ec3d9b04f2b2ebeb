/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import io.proxyrt.core.CollFunction;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.Subsystem;
import io.proxyrt.core.config.Option;
import io.proxyrt.core.config.ProxyConfig;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;

/** Finds the profile by which all ranks choose, at rank 0. What cannot be used is said once in a process. */
final class TuningSource {
    private static final String NO_FILE = "none";
    private static final Logger LOG = Subsystem.TUNING.logger();
    private static final Set<String> TOLD = ConcurrentHashMap.newKeySet();

    private TuningSource() {
    }

    /** Without what the user has set limits for. */
    static TuningProfile of(ProxyConfig config) {
        String option = config.get(CollectivesOptions.TUNING_PROFILE);
        Optional<Path> file = option.equals(NO_FILE) ? Optional.empty()
                : option.isBlank() ? TuningProfile.defaultFile().filter(Files::exists) : path(option);
        TuningProfile found = file.flatMap(TuningSource::read).orElse(TuningProfile.NONE);
        return new TuningProfile(found.machine(), found.tables().stream()
                .filter(table -> !isDecided(config, table)).toList());
    }

    private static Optional<Path> path(String option) {
        try {
            return Optional.of(Path.of(option));
        } catch (InvalidPathException e) {
            warn(CollectivesOptions.TUNING_PROFILE + " is no path: " + e.getMessage());
            return Optional.empty();
        }
    }

    private static Optional<TuningProfile> read(Path file) {
        TuningProfile profile;
        try {
            profile = TuningProfile.read(file);
        } catch (ProxyException e) {
            warn(e.getMessage());
            return Optional.empty();
        }
        String here = TuningProfile.thisMachine();
        if (!profile.machine().equals(here)) {
            tell(file + " was measured on another machine, " + profile.machine() + ", and is not used on this one, "
                    + here);
            return Optional.empty();
        }
        tell("algorithms are chosen by " + file + ", which was measured on " + here);
        return Optional.of(profile);
    }

    private static void warn(String why) {
        if (TOLD.add(why)) {
            LOG.warn("the tuning profile is not used, and algorithms are chosen as without: {}; proxyrt tune makes one",
                    why);
        }
    }

    private static void tell(String what) {
        if (TOLD.add(what)) {
            LOG.info(what);
        }
    }

    /** Whether the user has said up to which sizes the algorithms of a table are taken. */
    private static boolean isDecided(ProxyConfig config, TuningTable table) {
        Option<Long> doubling = table.transport().equals(HostPath.SHM.name()) ? CollectivesOptions.DIRECT_DOUBLING_BYTES
                : CollectivesOptions.DOUBLING_BYTES;
        return switch (table.function()) {
            case ALL_GATHER, REDUCE_SCATTER -> config.isSet(CollectivesOptions.PAT_BYTES);
            default -> config.isSet(CollectivesOptions.TREE_BYTES)
                    || table.function() == CollFunction.ALL_REDUCE && config.isSet(doubling);
        };
    }
}

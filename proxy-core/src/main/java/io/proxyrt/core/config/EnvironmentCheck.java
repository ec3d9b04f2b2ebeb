/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.config;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.Subsystem;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What is wrong with the names of an environment.
 *
 * @param mistaken would be this library's, and are not, each with what may have been meant
 * @param idle     of NCCL and RCCL, and without effect here
 * @param strange  would be of NCCL or RCCL, and are not that is known here, each with what may have been meant
 */
record EnvironmentCheck(List<String> mistaken, List<String> idle, List<String> strange) {
    private static final String OWN = "PROXYRT_";
    private static final List<String> FOREIGN = List.of("NCCL_", "RCCL_");
    /** Each runtime of a process checks the same environment. */
    private static final Set<String> LOGGED = ConcurrentHashMap.newKeySet();

    static EnvironmentCheck of(Collection<Option<?>> options, Set<String> environment) {
        Set<String> own = Stream.concat(options.stream().map(Option::environmentName), KnownVariables.stream())
                .filter(name -> name.startsWith(OWN)).collect(Collectors.toSet());
        List<String> mistaken = environment.stream().filter(name -> name.startsWith(OWN) && !own.contains(name))
                .sorted().map(name -> Suggestion.name(name, own)).toList();
        Set<String> aliases = options.stream().map(Option::alias).collect(Collectors.toSet());
        List<String> foreign = environment.stream().filter(name -> FOREIGN.stream().anyMatch(name::startsWith)
                && !aliases.contains(name)).sorted().toList();
        return new EnvironmentCheck(mistaken,
                foreign.stream().filter(name -> KnownVariables.of(name).filter(kind -> !kind.isUsed()).isPresent())
                        .toList(),
                foreign.stream().filter(name -> KnownVariables.of(name).isEmpty())
                        .map(name -> Suggestion.name(name, KnownVariables.stream().toList())).toList());
    }

    /**
     * Fails for names that are mistaken, and logs the others once in a process. Makes no logger before there is
     * something to log, as what the environment says of logging is read by a configuration, too.
     */
    void enforce() {
        if (!mistaken.isEmpty()) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, "the environment has "
                    + String.join(", ", mistaken) + ", which no module of this program knows: correct or unset "
                    + (mistaken.size() == 1 ? "it" : "them") + "; `proxyrt info` lists those there are; if other "
                    + "programs need what is set, build this one's ProxyConfig with environment(...) without it");
        }
        List<String> idleNow = idle.stream().filter(LOGGED::add).toList();
        if (!idleNow.isEmpty()) {
            Subsystem.ENV.logger().info("in the environment, and of no effect here: {}; docs/configuration.md says why",
                    String.join(", ", idleNow));
        }
        List<String> strangeNow = strange.stream().filter(LOGGED::add).toList();
        if (!strangeNow.isEmpty()) {
            Subsystem.ENV.logger().warn("in the environment, and known neither here nor as names of NCCL or RCCL: {}",
                    String.join(", ", strangeNow));
        }
    }
}

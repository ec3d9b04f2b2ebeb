/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.testkit.plugin;

import io.proxyrt.testkit.build.LibraryBuild;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/**
 * A tuner plug-in of NCCL, written for tests: it asks for rings and Simple for all-reduces, with at most 3 channels,
 * halves chunks, and adds 100 µs to what a ring's Simple costs. A C compiler makes it when it is first asked for.
 */
public final class TunerPlugin {
    /** What it calls itself. */
    public static final String NAME = "Stand-in";

    private static final String LIBRARY = "libnccl-tuner-standin.so";

    private TunerPlugin() {
    }

    /** What it does wrong, in the order of its source. */
    public enum Fault {
        /** Nothing. */
        NONE,
        /** Its init logs why, and fails. */
        INIT_FAILS,
        /** Its getCollInfo changes something, and fails. */
        INFO_FAILS,
        /** It says that all ways take less than no time. */
        NEGATIVE_TIMES,
        /** It says no numbers; of version 2, an algorithm that there is not. */
        NO_NUMBERS,
        /** It asks for a million channels. */
        MANY_CHANNELS,
        /** Its finalize fails. */
        FINALIZE_FAILS,
        /** It makes a constant no number. */
        BAD_CONSTANTS,
        /** It asks for a way that is not possible. */
        IMPOSSIBLE_WAY,
        /** It asks for less than no channels. */
        FEW_CHANNELS
    }

    /**
     * Why there is none.
     *
     * @return empty if there can be one, else what is missing, and where it is to be had
     */
    public static String whyNot() {
        return LibraryBuild.whyNot(LibraryBuild.CC);
    }

    /**
     * Makes one, if that was not done before. Blocks for about a second then.
     *
     * @param version of NCCL's interface, 2 to 6; no other is exported
     * @param fault   what it does wrong
     * @return the library, absolute
     * @throws IllegalStateException if it cannot be compiled, with what the compiler says
     */
    public static Path library(int version, Fault fault) {
        return new LibraryBuild(TunerPlugin.class, "tuner-plugin", "v" + version + "-"
                + fault.name().toLowerCase(Locale.ROOT), List.of("tuner.c"), List.of(),
                List.of("-DTUNER_VERSION=" + version, "-DTUNER_FAULT=" + fault.name()), LIBRARY, List.of()).folder()
                .resolve(LIBRARY);
    }
}

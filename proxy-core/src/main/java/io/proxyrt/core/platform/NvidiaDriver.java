/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.platform;

import java.time.Duration;
import java.util.List;
import java.util.ServiceLoader;

/**
 * What NVIDIA's driver knows of the GPUs of this host and the kernel's files do not tell. Found by
 * {@link ServiceLoader}; loading a provider calls nothing native.
 */
public interface NvidiaDriver {
    /**
     * What asks the driver here.
     *
     * @return the first that there is; else one that answers with the reason
     */
    static NvidiaDriver find() {
        return ServiceLoader.load(NvidiaDriver.class).findFirst().orElse((gpus, patience) -> new Answer(List.of(),
                List.of("no module provides " + NvidiaDriver.class.getName()
                        + "; add proxy-native to the module path or the class path"), true));
    }

    /**
     * Asks it, and leaves it as it was. Never fails: what the driver does not tell is left out. An interruption ends
     * the wait for it, and lasts. Any platform thread.
     *
     * @param gpus     where they are
     * @param patience for how long the driver is waited for at most
     * @return what it tells
     */
    Answer ask(List<PciAddress> gpus, Duration patience);

    /**
     * What it told.
     *
     * @param gpus     those that it told of, in the order in which they were asked for; not those that it does not
     *                 give to this process
     * @param problems what it did not tell of the others, and why, a sentence each; empty if it told all
     * @param isFinal  whether it holds for as long as the process lives; false if the driver may tell more another time
     */
    record Answer(List<NvidiaGpu> gpus, List<String> problems, boolean isFinal) {
        /** Copies the lists. */
        public Answer {
            gpus = List.copyOf(gpus);
            problems = List.copyOf(problems);
        }
    }
}

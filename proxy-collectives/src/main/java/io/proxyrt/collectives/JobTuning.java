/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import io.proxyrt.collectives.msccl.AlgorithmFiles;

/**
 * By what all ranks of a job choose how collectives go; groups of some of its ranks take it over. Immutable.
 *
 * @param profile that was measured; rank 0's
 * @param files   algorithms in files, for any number of ranks
 */
record JobTuning(TuningProfile profile, AlgorithmFiles files) {
    /** Nothing to choose by. */
    static final JobTuning NONE = new JobTuning(TuningProfile.NONE, AlgorithmFiles.NONE);
}

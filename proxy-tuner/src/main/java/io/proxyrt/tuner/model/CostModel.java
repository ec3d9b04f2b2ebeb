/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.tuner.model;

import io.proxyrt.core.Protocol;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.tuner.CollInfo;
import io.proxyrt.tuner.TunerConstants;
import io.proxyrt.tuner.TuningFilter;
import io.proxyrt.tuner.TuningInput;
import io.proxyrt.tuner.Way;
import java.util.ArrayList;
import java.util.List;

/**
 * The cost model of an architecture: tables, and what is computed from them. Immutable; any thread.
 */
public abstract sealed class CostModel permits NcclModel, RcclModel {
    private final String architecture;

    /** Of an architecture. */
    CostModel(String architecture) {
        this.architecture = architecture;
    }

    /**
     * The model of a GPU.
     *
     * @param architecture {@code sm} and a compute capability, as {@code sm90}; or what AMD calls it, as {@code gfx942}
     * @return of NCCL for the first kind, of RCCL for the second
     * @throws ProxyException {@link ProxyResult#INVALID_ARGUMENT} if there is none
     */
    public static CostModel of(String architecture) {
        return NcclModel.find(architecture).or(() -> RcclModel.find(architecture)).orElseThrow(() ->
                new ProxyException(ProxyResult.INVALID_ARGUMENT, "no cost model of '"
                + architecture + "'; there are those of " + String.join(", ", architectures()) + " and their like"));
    }

    /**
     * RCCL's model of a number, which its models of machines may ask for.
     *
     * @param architecture of AMD
     * @param number       0 to 7
     * @return with the architecture's rules, and the number's tables
     * @throws ProxyException {@link ProxyResult#INVALID_ARGUMENT} if there is no such architecture, or number
     */
    public static CostModel ofRccl(String architecture, int number) {
        return RcclModel.of(architecture, number);
    }

    /**
     * What {@link #of} knows.
     *
     * @return for people
     */
    public static List<String> architectures() {
        List<String> known = new ArrayList<>(NcclModel.EXAMPLES);
        known.addAll(RcclModel.names());
        return known;
    }

    /**
     * Of what.
     *
     * @return as {@link #of} was told
     */
    public final String architecture() {
        return architecture;
    }

    /**
     * The numbers that a tuner may change. RCCL's models use none of them, and hand out NCCL's.
     *
     * @return the model's
     */
    public abstract TunerConstants constants();

    /**
     * The model with other numbers.
     *
     * @param changed by a tuner
     * @return of the same architecture; this one where none of them is used
     */
    public abstract CostModel with(TunerConstants changed);

    /**
     * How large a connection's buffers are by default, with all slots.
     *
     * @param protocol that has them
     * @return bytes
     */
    public abstract long bufferBytes(Protocol protocol);

    /**
     * What each way costs. Pure: the same for the same input.
     *
     * @param input  of the communicator, and the function
     * @param filter of which LL128 is looked for, which is off by default on some ways between GPUs; what else it
     *               leaves out is still in the table
     * @return of all ways that the model takes for possible
     */
    public abstract CostTable predict(TuningInput input, TuningFilter filter);

    /**
     * What each way costs, if the user says nothing.
     *
     * @param input of the communicator, and the function
     * @return of all ways that the model takes for possible
     */
    public final CostTable predict(TuningInput input) {
        return predict(input, TuningFilter.NONE);
    }

    /** What rules by size make of a choice by time. */
    abstract Way override(TuningInput input, CollInfo call, Way fastest);

    /** Channels and threads for a call. */
    abstract LaunchSize launch(TuningInput input, CollInfo call, Way way);
}

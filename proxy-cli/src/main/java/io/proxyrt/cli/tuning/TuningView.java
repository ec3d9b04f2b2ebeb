/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.tuning;

import io.proxyrt.core.Protocol;
import io.proxyrt.tuner.Choice;
import io.proxyrt.tuner.CollInfo;
import io.proxyrt.tuner.TuningFilter;
import io.proxyrt.tuner.TuningInput;
import io.proxyrt.tuner.model.Chooser;
import io.proxyrt.tuner.model.CostModel;
import io.proxyrt.tuner.spi.Tuner;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * What is chosen for each size.
 *
 * @param architecture of the GPUs
 * @param collective   that is called
 * @param ranks        of the communicator
 * @param nodes        of the communicator
 * @param assumed      of the machines, for people
 * @param tuner        that has a say; empty if there is none
 * @param buffers      bytes of a connection, by protocol
 * @param rows         by size
 */
public record TuningView(String architecture, String collective, int ranks, int nodes, String assumed,
        Optional<String> tuner, Map<Protocol, Long> buffers, List<Row> rows) {
    /**
     * A size.
     *
     * @param bytes       of the largest buffer
     * @param algorithm   that is chosen
     * @param protocol    that is chosen
     * @param channels    that share the work
     * @param threads     of a block
     * @param predictedUs that the model says, or a tuner
     */
    public record Row(long bytes, String algorithm, String protocol, int channels, int threads,
            double predictedUs) {
        static Row of(long bytes, Choice choice) {
            return new Row(bytes, choice.way().algorithm().label(),
                    choice.way().protocol().name().toLowerCase(Locale.ROOT), choice.channels(), choice.threads(),
                    choice.timeUs());
        }
    }

    /**
     * What a model chooses.
     *
     * @param model   of the architecture
     * @param machine that is assumed
     * @param input   of that machine
     * @param filter  what the user allows
     * @param tuner   that has a say
     * @param sizes   to choose for
     * @return a row for each
     */
    public static TuningView of(CostModel model, Machine machine, TuningInput input, TuningFilter filter,
            Optional<Tuner> tuner, List<Long> sizes) {
        Chooser chooser = new Chooser(model, input, filter, tuner);
        Map<Protocol, Long> buffers = new EnumMap<>(Protocol.class);
        for (Protocol protocol : Protocol.values()) {
            buffers.put(protocol, model.bufferBytes(protocol));
        }
        List<Row> rows = new ArrayList<>();
        sizes.forEach(bytes -> rows.add(Row.of(bytes, chooser.choose(CollInfo.of(bytes)))));
        return new TuningView(model.architecture(), input.function().name().toLowerCase(Locale.ROOT), input.ranks(),
                input.nodes(), machine.text(), tuner.map(Tuner::name), buffers, rows);
    }
}

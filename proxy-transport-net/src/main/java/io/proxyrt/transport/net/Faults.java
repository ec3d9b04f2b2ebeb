/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import java.util.SplittableRandom;

/**
 * Which faults a network is given on purpose, each with its probability.
 *
 * @param seed    of all chances: the same one has the same faults in the same calls of a comm
 * @param refuse  that isend or irecv takes nothing for now
 * @param delay   that a test says not yet, whatever the network says
 * @param connect that an attempt to connect fails
 * @param test    that a test fails, and its comm with it
 */
record Faults(long seed, double refuse, double delay, double connect, double test) {
    private static final String SYNTAX = "seed=42,refuse=0.1,delay=0.2,connect=0.5,test=0.001";

    /** Reads the value of {@link NetOptions#FAULTS}; null for none. */
    static Faults parse(String text) {
        if (text.isEmpty() || text.equals("0")) {
            return null;
        }
        Faults faults = new Faults(0, 0, 0, 0, 0);
        for (String part : text.split(",", -1)) {
            faults = faults.with(part.strip().split("=", 2));
        }
        return faults;
    }

    private Faults with(String[] assignment) {
        try {
            String value = assignment[1].strip();
            return switch (assignment[0].strip()) {
                case "seed" -> new Faults(Long.parseLong(value), refuse, delay, connect, test);
                case "refuse" -> new Faults(seed, probability(value), delay, connect, test);
                case "delay" -> new Faults(seed, refuse, probability(value), connect, test);
                case "connect" -> new Faults(seed, refuse, delay, probability(value), test);
                case "test" -> new Faults(seed, refuse, delay, connect, probability(value));
                default -> throw new IllegalArgumentException("there is no such fault");
            };
        } catch (ArrayIndexOutOfBoundsException | IllegalArgumentException e) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, NetOptions.FAULTS + " has '"
                    + String.join("=", assignment) + "', which is none of " + SYNTAX, e);
        }
    }

    private static double probability(String text) {
        double value = Double.parseDouble(text);
        if (!(value >= 0 && value <= 1)) {
            throw new IllegalArgumentException("a probability is from 0 to 1");
        }
        return value;
    }

    /** The chances of one comm or attempt, by its number. */
    SplittableRandom chances(int number) {
        return new SplittableRandom(seed * 31 + number);
    }
}

/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import io.proxyrt.core.CollFunction;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Which algorithms, or protocols, collectives may choose from, for each function. Written as NCCL has it for NCCL_ALGO
 * and NCCL_PROTO: {@code ring}, {@code LL,Simple}, {@code ^LL128} for all but that, {@code ^doubling;allreduce:ring}
 * with a list for all functions, and others for some. Immutable.
 *
 * @param <E> algorithms or protocols
 */
public final class Allowed<E extends Enum<E>> {
    private static final List<CollFunction> FUNCTIONS = List.of(CollFunction.BROADCAST, CollFunction.REDUCE,
            CollFunction.ALL_GATHER, CollFunction.REDUCE_SCATTER, CollFunction.ALL_REDUCE);
    private static final String ALL = "auto";

    private final Class<E> type;
    private final Map<CollFunction, Set<E>> ways = new EnumMap<>(CollFunction.class);
    private final List<String> leftOut = new ArrayList<>();

    private Allowed(Class<E> type) {
        this.type = type;
        FUNCTIONS.forEach(function -> ways.put(function, EnumSet.allOf(type)));
    }

    /**
     * All there are: the choice is by size, and by what can be used.
     *
     * @param <E>  algorithms or protocols
     * @param type of them
     * @return what {@code auto} stands for
     */
    public static <E extends Enum<E>> Allowed<E> all(Class<E> type) {
        return new Allowed<>(type);
    }

    /**
     * These and no others, for all functions.
     *
     * @param <E>    algorithms or protocols
     * @param first  that is allowed
     * @param others that are
     * @return if there is only one, what to use wherever it can be used
     */
    @SafeVarargs
    public static <E extends Enum<E>> Allowed<E> only(E first, E... others) {
        Allowed<E> allowed = new Allowed<>(first.getDeclaringClass());
        Set<E> these = EnumSet.of(first);
        for (E other : others) {
            these.add(other);
        }
        allowed.ways.replaceAll((function, all) -> these);
        return allowed;
    }

    /**
     * Reads lists, as NCCL does: a list for all functions, and behind it others for some, which take its place there;
     * entries that are empty say nothing. Names may be in any case.
     *
     * @param <E>   algorithms or protocols
     * @param type  of what there is, which go by their names without underscores
     * @param words others, in lower case: what they stand for here, which may be nothing
     * @param text  as a user wrote it
     * @return what it allows
     * @throws IllegalArgumentException if it names what is not known, has a list without a function that is not the
     *                                  first, or leaves nothing for a function; with what to write instead
     */
    public static <E extends Enum<E>> Allowed<E> parse(Class<E> type, Map<String, Set<E>> words, String text) {
        Allowed<E> allowed = new Allowed<>(type);
        boolean isFirst = true;
        for (String list : entries(text.toLowerCase(Locale.ROOT), ";")) {
            int colon = list.indexOf(':');
            if (colon < 0 && !isFirst) {
                throw new IllegalArgumentException("'" + list + "' needs a function before it, such as allreduce:"
                        + list);
            }
            isFirst = false;
            Set<E> chosen = allowed.read(words, list.substring(colon + 1).strip());
            for (CollFunction function : colon < 0 ? FUNCTIONS : functions(list.substring(0, colon).strip())) {
                allowed.ways.put(function, chosen);
            }
        }
        allowed.ways.forEach(allowed::requireAny);
        return allowed;
    }

    private static List<String> entries(String text, String separator) {
        return Arrays.stream(text.split(separator)).map(String::strip).filter(entry -> !entry.isEmpty()).toList();
    }

    private static List<CollFunction> functions(String name) {
        List<CollFunction> named = FUNCTIONS.stream().filter(function -> label(function).equals(name)).toList();
        if (named.isEmpty()) {
            throw new IllegalArgumentException("'" + name + "' is none of "
                    + FUNCTIONS.stream().map(Allowed::label).toList());
        }
        return named;
    }

    private Set<E> read(Map<String, Set<E>> words, String list) {
        boolean isNegated = list.startsWith("^");
        EnumSet<E> named = EnumSet.noneOf(type);
        for (String word : entries(isNegated ? list.substring(1) : list, ",")) {
            Set<E> meant = meaning(words, word);
            if (meant.isEmpty() && !isNegated && !leftOut.contains(word)) {
                leftOut.add(word);
            }
            named.addAll(meant);
        }
        return isNegated ? EnumSet.complementOf(named) : named;
    }

    private Set<E> meaning(Map<String, Set<E>> words, String word) {
        if (word.equals(ALL)) {
            return EnumSet.allOf(type);
        }
        return Arrays.stream(type.getEnumConstants()).filter(one -> label(one).equals(word)).findFirst()
                .<Set<E>>map(EnumSet::of).orElseGet(() -> {
                    if (!words.containsKey(word)) {
                        throw new IllegalArgumentException("'" + word + "' is none of " + names(words));
                    }
                    return words.get(word);
                });
    }

    private List<String> names(Map<String, Set<E>> words) {
        List<String> names = new ArrayList<>(List.of(ALL));
        Arrays.stream(type.getEnumConstants()).map(Allowed::label).forEach(names::add);
        words.entrySet().stream().filter(word -> !word.getValue().isEmpty()).map(Map.Entry::getKey).sorted()
                .forEach(names::add);
        return names;
    }

    private void requireAny(CollFunction function, Set<E> allowed) {
        if (allowed.isEmpty()) {
            throw new IllegalArgumentException("nothing is left for " + label(function) + (leftOut.isEmpty() ? ""
                    : "; not here: " + String.join(", ", leftOut)));
        }
    }

    /**
     * Whether a collective may go so.
     *
     * @param function of the collective
     * @param way      how
     * @return true also for functions that have no choice
     */
    public boolean admits(CollFunction function, E way) {
        Set<E> allowed = ways.get(switch (function) {
            case ALL_GATHERV -> CollFunction.ALL_GATHER;
            case REDUCE_SCATTERV -> CollFunction.REDUCE_SCATTER;
            default -> function;
        });
        return allowed == null || allowed.contains(way);
    }

    /**
     * Whether any collective may go so.
     *
     * @param way how
     * @return false if no function has it
     */
    public boolean admits(E way) {
        return ways.values().stream().anyMatch(allowed -> allowed.contains(way));
    }

    /** What was asked for, is known of NCCL, and is not here. */
    List<String> leftOut() {
        return List.copyOf(leftOut);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Allowed<?> that && ways.equals(that.ways);
    }

    @Override
    public int hashCode() {
        return ways.hashCode();
    }

    /** What {@link #parse} reads; the same for all that are equal. */
    @Override
    public String toString() {
        Set<Set<E>> different = Set.copyOf(ways.values());
        return different.size() == 1 ? list(different.iterator().next()) : FUNCTIONS.stream()
                .map(function -> label(function) + ":" + list(ways.get(function))).collect(Collectors.joining(";"));
    }

    private String list(Set<E> allowed) {
        return allowed.size() == type.getEnumConstants().length ? ALL
                : allowed.stream().map(Allowed::label).collect(Collectors.joining(","));
    }

    /** Without what parts words: NCCL's names have none. */
    private static String label(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT).replace("_", "");
    }
}

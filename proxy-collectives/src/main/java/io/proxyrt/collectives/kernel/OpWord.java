/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives.kernel;

import io.proxyrt.core.CollFunction;
import io.proxyrt.core.DataType;
import io.proxyrt.core.ReduceOp;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * What an operation is, in a word and a size, so that ranks can compare theirs and tell each other.
 *
 * <pre>
 *  63                   32 31       12 11      8 7       4 3        0
 *  +----------------------+-----------+---------+---------+----------+
 *  | root, or file        | sizes     | op      | type    | function |    15: none
 *  +----------------------+-----------+---------+---------+----------+
 * </pre>
 *
 * <p>Sizes is a hash of the sizes of ranks' parts, where they differ; of several all-reduces in one, their number.
 *
 * <p>A stamp is a hash of both, for where there is no place for them: beside the data.
 */
public final class OpWord {
    private static final int NONE = 15;
    private static final int MASK = 15;
    private static final int SIZES_SHIFT = 12;
    private static final long SIZES_MASK = 0xfffff;
    private static final CollFunction[] FUNCTIONS = CollFunction.values();
    private static final DataType[] TYPES = DataType.values();
    /** By code. */
    private static final String[] OPS = {"SUM", "PROD", "MAX", "MIN", "AVG", "PREMULSUM", "USER"};
    /** A message, at both of its ends. */
    public static final long MESSAGE = word(CollFunction.SEND_RECV, null, null, 0);

    private OpWord() {
    }

    /**
     * The word of an operation.
     *
     * @param function what is done
     * @param type     of the elements; null for a message
     * @param op       null if nothing is reduced
     * @param root     of a collective that has one; of others the number of the file by which they go; or 0
     * @return not 0
     */
    public static long word(CollFunction function, DataType type, ReduceOp op, int root) {
        return (long) root << 32 | (op == null ? NONE : op.code()) << 8
                | (type == null ? NONE : type.ordinal()) << 4 | function.ordinal();
    }

    /**
     * The word of several all-reduces in one.
     *
     * @param word   of each
     * @param pieces how many
     * @return for what all ranks have to do alike
     */
    public static long fused(long word, int pieces) {
        return word | sizes(pieces & SIZES_MASK);
    }

    /** The bits of a word that tell sizes of parts from others. */
    static long sizes(long hash) {
        return hash << SIZES_SHIFT;
    }

    /**
     * The function of an operation.
     *
     * @param word as a peer may have sent it
     * @return null if there is none of that number
     */
    public static CollFunction function(long word) {
        return at(FUNCTIONS, (int) word & MASK);
    }

    /**
     * The type of its elements.
     *
     * @param word as a peer may have sent it
     * @return null if it has none
     */
    public static DataType type(long word) {
        return at(TYPES, (int) (word >>> 4) & MASK);
    }

    /**
     * How it reduces.
     *
     * @param word as a peer may have sent it
     * @return null if it does not
     */
    public static String reduction(long word) {
        return at(OPS, (int) (word >>> 8) & MASK);
    }

    /**
     * A hash of an operation.
     *
     * @param word  of it
     * @param bytes of the whole buffer, or of one rank's part
     * @return not 0
     */
    public static int stamp(long word, long bytes) {
        long mixed = (word * 0x9e3779b97f4a7c15L ^ bytes) * 0xd6e8feb86659fd93L;
        int stamp = (int) ((mixed ^ mixed >>> 29) * 0x9e3779b97f4a7c15L >>> 32);
        return stamp == 0 ? 1 : stamp;
    }

    /** A stamp for one step, so that an old one is not taken for it: 0 for none stays 0. */
    static int atStep(int stamp, long step) {
        int mixed = stamp + (int) step * 0x9e3779b9;
        return stamp == 0 ? 0 : mixed == 0 ? 1 : mixed;
    }

    /**
     * Says what an operation is.
     *
     * @param word  as a peer may have sent it
     * @param bytes as in {@link #stamp}
     * @return such as {@code all_reduce of 1024 FLOAT32 SUM}
     */
    public static String describe(long word, long bytes) {
        if (word == MESSAGE) {
            return "a message of " + bytes + " bytes";
        }
        CollFunction function = function(word);
        DataType type = type(word);
        String op = reduction(word);
        String data = type == null ? bytes + " bytes" : bytes / type.sizeBytes() + " " + type;
        return name(function) + " of " + (isUneven(function) ? "up to " : "") + data + (op == null ? "" : " " + op)
                + root(function, word >>> 32) + sizes(function, word >>> SIZES_SHIFT & SIZES_MASK);
    }

    /**
     * Says in what two operations differ.
     *
     * @param word       of one, as a peer may have sent it
     * @param bytes      of it
     * @param otherWord  of the other
     * @param otherBytes of it
     * @return such as {@code count} or {@code type and root}; empty if they do not
     */
    public static String difference(long word, long bytes, long otherWord, long otherBytes) {
        long different = word ^ otherWord;
        if ((different & MASK) != 0) {
            return "collective";
        }
        List<String> names = new ArrayList<>();
        if (count(word, bytes) != count(otherWord, otherBytes)) {
            names.add("count");
        }
        if ((different >>> 4 & MASK) != 0) {
            names.add("type");
        }
        if ((different >>> 8 & MASK) != 0) {
            names.add("reduction");
        }
        if ((different >>> SIZES_SHIFT & SIZES_MASK) != 0) {
            names.add("sizes of parts");
        }
        if (different >>> 32 != 0) {
            names.add(root(function(word), 1).contains("MSCCL") ? "MSCCL file" : "root");
        }
        return String.join(" and ", names);
    }

    /**
     * How many elements.
     *
     * @param word  as a peer may have sent it
     * @param bytes of it
     * @return the bytes, if it has no type
     */
    public static long count(long word, long bytes) {
        DataType type = type(word);
        return type == null ? bytes : bytes / type.sizeBytes();
    }

    private static boolean isUneven(CollFunction function) {
        return function == CollFunction.ALL_GATHERV || function == CollFunction.REDUCE_SCATTERV;
    }

    private static String sizes(CollFunction function, long sizes) {
        return isUneven(function) ? " (sizes " + Long.toHexString(sizes) + ")"
                : function == CollFunction.ALL_REDUCE && sizes != 0 ? " (" + sizes + " of a group in one)" : "";
    }

    private static String root(CollFunction function, long root) {
        return switch (function) {
            case BROADCAST, SCATTER -> " from rank " + root;
            case REDUCE, GATHER -> " to rank " + root;
            case ALL_REDUCE, ALL_GATHER, REDUCE_SCATTER, ALL_TO_ALL -> root == 0 ? "" : " by MSCCL file " + root;
            case null, default -> "";
        };
    }

    private static String name(CollFunction function) {
        return function == null ? "an unknown operation" : function.name().toLowerCase(Locale.ROOT);
    }

    private static <T> T at(T[] values, int index) {
        return index < values.length ? values[index] : null;
    }
}

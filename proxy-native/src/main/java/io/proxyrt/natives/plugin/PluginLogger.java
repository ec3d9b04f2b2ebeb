/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.natives.plugin;

import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.proxyrt.core.Subsystem;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.event.Level;

/**
 * {@code ncclDebugLogger_t} of one plug-in: what it logs goes to SLF4J. Any thread, of the plug-in's own too.
 *
 * <p>The function takes variable arguments, which Java cannot declare. It is declared to take what a caller may have
 * put where variable arguments go: the registers that are left, and some words of the stack. To read more words than
 * there are is to read the caller's frames.
 */
final class PluginLogger {
    private static final int MAX_FORMAT_BYTES = 4096;
    private static final int MAX_FILE_BYTES = 256;
    private static final int STACK_WORDS = 32;
    private static final VariableArguments ARGUMENTS = VariableArguments.of(System.getProperty("os.arch"));
    private static final MethodHandle LOG_CALL = find();

    private final String plugIn;
    private final Logger log;
    private final MemorySegment stub;
    private volatile String lastWarning = "";

    /** Of a plug-in of the subsystem. */
    PluginLogger(String plugIn, Subsystem subsystem) {
        this.plugIn = plugIn;
        this.log = subsystem.logger("plugin");
        this.stub = stub();
    }

    private static MethodHandle find() {
        try {
            return MethodHandles.lookup().findVirtual(PluginLogger.class, "log", MethodType.methodType(void.class,
                    int.class, long.class, int.class, long.class, long[].class, double[].class, long[].class));
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }

    @SuppressWarnings("restricted")
    private MemorySegment stub() {
        int stackWords = ARGUMENTS.isKnown() ? STACK_WORDS : 0;
        List<MemoryLayout> layouts = new ArrayList<>(List.of(JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_LONG));
        layouts.addAll(Collections.nCopies(ARGUMENTS.registers(), JAVA_LONG));
        layouts.addAll(Collections.nCopies(ARGUMENTS.vectors(), JAVA_DOUBLE));
        layouts.addAll(Collections.nCopies(stackWords, JAVA_LONG));
        MethodHandle target = LOG_CALL.bindTo(this).asCollector(6, long[].class, stackWords)
                .asCollector(5, double[].class, ARGUMENTS.vectors())
                .asCollector(4, long[].class, ARGUMENTS.registers());
        // The subsystem, by which NCCL filters.
        return Linker.nativeLinker().upcallStub(MethodHandles.dropArguments(target, 1, long.class),
                FunctionDescriptor.ofVoid(layouts.toArray(MemoryLayout[]::new)), Arena.global());
    }

    /** Of the function. */
    long address() {
        return stub.address();
    }

    /** The last text of level WARN; empty if there is none. */
    String lastWarning() {
        return lastWarning;
    }

    /** Throws nothing: what an upcall throws ends the JVM. */
    void log(int level, long file, int line, long format, long[] registers, double[] vectors, long[] stack) {
        try {
            Level slf4j = PluginLevel.of(level);
            boolean isWarning = level == PluginLevel.WARN;
            if (isWarning || slf4j != null && log.isEnabledForLevel(slf4j)) {
                String text = text(format, registers, vectors, stack);
                lastWarning = isWarning ? text : lastWarning;
                log.atLevel(slf4j).log("{}: {} ({}:{})", plugIn, text, CText.at(file, MAX_FILE_BYTES), line);
            }
        } catch (Throwable t) {
            lastWarning = "it logged something that could not be read: " + t;
        }
    }

    private static String text(long format, long[] registers, double[] vectors, long[] stack) {
        String bare = CText.at(format, MAX_FORMAT_BYTES);
        return bare == null ? "" : ARGUMENTS.format(bare, format, registers, vectors, stack).strip();
    }
}

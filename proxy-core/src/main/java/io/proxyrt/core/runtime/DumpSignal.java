/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.runtime;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.ProxyConfig;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Logs what runtimes work on when a signal comes: all runtimes of the process that name it. RCCL's handler knows
 * only the last one that was made, and walks its lists while the progress thread changes them; this one runs on a
 * thread of the JVM and reads the mapped file. Any thread.
 */
final class DumpSignal implements AutoCloseable {
    /** What neither ends a process in good order nor is the JVM's own; of Linux. */
    private static final Map<Integer, String> NAMES = new TreeMap<>(Map.of(10, "USR1", 18, "CONT", 23, "URG", 28,
            "WINCH", 29, "IO", 30, "PWR"));
    private static final Map<Integer, List<DumpSignal>> TAKERS = new HashMap<>();
    private static final Map<Integer, Object> HANDLERS_BEFORE = new HashMap<>();

    private final int number;
    private final Supplier<List<String>> lines;
    private final Consumer<String> log;

    private DumpSignal(int number, Supplier<List<String>> lines, Consumer<String> log) {
        this.number = number;
        this.lines = lines;
        this.log = log;
    }

    /**
     * Takes the signal of {@link CoreOptions#DUMP_SIGNAL}.
     *
     * @param lines what to tell; called on a thread of the JVM
     * @param log   whom to tell, once for each signal
     * @return to be closed; null if there is none
     * @throws ProxyException {@link ProxyResult#INVALID_ARGUMENT} if it cannot be taken
     */
    static DumpSignal of(ProxyConfig config, Supplier<List<String>> lines, Consumer<String> log) {
        int number = config.get(CoreOptions.DUMP_SIGNAL);
        if (number < 0) {
            return null;
        }
        if (!NAMES.containsKey(number)) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, CoreOptions.DUMP_SIGNAL + " is " + number
                    + ", which is the JVM's own, ends processes, or is no signal; give one of " + NAMES);
        }
        DumpSignal signal = new DumpSignal(number, lines, log);
        synchronized (TAKERS) {
            if (!TAKERS.containsKey(number)) {
                HANDLERS_BEFORE.put(number, handle(number, handler()));
                TAKERS.put(number, new ArrayList<>());
            }
            TAKERS.get(number).add(signal);
        }
        return signal;
    }

    /** The last one to go gives the signal back to whom it was taken from. */
    @Override
    public void close() {
        synchronized (TAKERS) {
            List<DumpSignal> takers = TAKERS.getOrDefault(number, List.of());
            if (takers.remove(this) && takers.isEmpty()) {
                TAKERS.remove(number);
                handle(number, HANDLERS_BEFORE.remove(number));
            }
        }
    }

    /** By its name, as the compiler warns of the class, which is public and here to stay. */
    private static Class<?> type(String name) throws ClassNotFoundException {
        return Class.forName("sun.misc." + name);
    }

    private static Object handler() {
        InvocationHandler receiver = (proxy, method, arguments) -> switch (method.getName()) {
            case "handle" -> {
                received((int) arguments[0].getClass().getMethod("getNumber").invoke(arguments[0]));
                yield null;
            }
            case "equals" -> proxy == arguments[0];
            case "hashCode" -> System.identityHashCode(proxy);
            default -> "dump of proxyrt";
        };
        try {
            Class<?> type = type("SignalHandler");
            return Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, receiver);
        } catch (ClassNotFoundException e) {
            throw missing(e);
        }
    }

    /** Gives the handler before. */
    private static Object handle(int number, Object handler) {
        try {
            Class<?> type = type("Signal");
            Object signal = type.getConstructor(String.class).newInstance(NAMES.get(number));
            return type.getMethod("handle", type, type("SignalHandler")).invoke(null, signal, handler);
        } catch (ClassNotFoundException e) {
            throw missing(e);
        } catch (ReflectiveOperationException e) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, CoreOptions.DUMP_SIGNAL + ": SIG"
                    + NAMES.get(number) + " cannot be taken: " + e.getCause(), e);
        }
    }

    private static ProxyException missing(ClassNotFoundException e) {
        return new ProxyException(ProxyResult.INVALID_ARGUMENT, CoreOptions.DUMP_SIGNAL
                + " needs the module jdk.unsupported, which this JVM has not: start it with "
                + "--add-modules jdk.unsupported", e);
    }

    private static void received(int number) {
        List<DumpSignal> takers;
        synchronized (TAKERS) {
            takers = List.copyOf(TAKERS.getOrDefault(number, List.of()));
        }
        takers.forEach(DumpSignal::tell);
    }

    private void tell() {
        try {
            log.accept("received signal " + number + ": " + String.join("\n", lines.get()));
        } catch (IllegalStateException | ProxyException _) {
            // Closed meanwhile.
            return;
        }
    }
}

/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.natives;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.invoke.MethodHandle;
import java.util.Arrays;

/**
 * Calls functions that return an int, by how many arguments they take. The handles are static, so that calls compile to
 * a call, and take the address, so that several drivers or plug-ins live in one process. No call is critical: the
 * functions take locks, make system calls, and may call back.
 *
 * <p>Every argument is a long. On x86-64 and AArch64 an int or a pointer has a register, or eight bytes of the stack,
 * to itself, just as a long has, and the callee looks at no more of it than its type says.
 */
public final class CCalls {
    private static final MethodHandle CALL_0 = link(0);
    private static final MethodHandle CALL_1 = link(1);
    private static final MethodHandle CALL_2 = link(2);
    private static final MethodHandle CALL_3 = link(3);
    private static final MethodHandle CALL_4 = link(4);
    private static final MethodHandle CALL_5 = link(5);
    private static final MethodHandle CALL_6 = link(6);
    private static final MethodHandle CALL_7 = link(7);

    private CCalls() {
    }

    /**
     * A handle for one shape of calls, to be kept in a static final field.
     *
     * @param arguments how many longs it takes behind the address
     * @return which returns an int
     */
    public static MethodHandle link(int arguments) {
        MemoryLayout[] layouts = new MemoryLayout[arguments];
        Arrays.fill(layouts, JAVA_LONG);
        return link(FunctionDescriptor.of(JAVA_INT, layouts));
    }

    /**
     * A handle for another shape of calls, to be kept in a static final field.
     *
     * @param shape of the call, behind the address
     * @return which takes the address first
     */
    @SuppressWarnings("restricted")
    public static MethodHandle link(FunctionDescriptor shape) {
        return Linker.nativeLinker().downcallHandle(shape);
    }

    /**
     * Calls a function of no argument.
     *
     * @param function that exists
     * @return what it returns
     */
    public static int call(CFunction function) {
        try {
            return (int) CALL_0.invokeExact(function.address());
        } catch (Throwable t) {
            throw failure(function, t);
        }
    }

    /**
     * Calls a function of one argument.
     *
     * @param function that exists
     * @param a        its first
     * @return what it returns
     */
    public static int call(CFunction function, long a) {
        try {
            return (int) CALL_1.invokeExact(function.address(), a);
        } catch (Throwable t) {
            throw failure(function, t);
        }
    }

    /**
     * Calls a function of two arguments.
     *
     * @param function that exists
     * @param a        its first
     * @param b        its second
     * @return what it returns
     */
    public static int call(CFunction function, long a, long b) {
        try {
            return (int) CALL_2.invokeExact(function.address(), a, b);
        } catch (Throwable t) {
            throw failure(function, t);
        }
    }

    /**
     * Calls a function of three arguments.
     *
     * @param function that exists
     * @param a        its first
     * @param b        its second
     * @param c        its third
     * @return what it returns
     */
    public static int call(CFunction function, long a, long b, long c) {
        try {
            return (int) CALL_3.invokeExact(function.address(), a, b, c);
        } catch (Throwable t) {
            throw failure(function, t);
        }
    }

    /**
     * Calls a function of four arguments.
     *
     * @param function that exists
     * @param a        its first
     * @param b        its second
     * @param c        its third
     * @param d        its fourth
     * @return what it returns
     */
    public static int call(CFunction function, long a, long b, long c, long d) {
        try {
            return (int) CALL_4.invokeExact(function.address(), a, b, c, d);
        } catch (Throwable t) {
            throw failure(function, t);
        }
    }

    /**
     * Calls a function of five arguments.
     *
     * @param function that exists
     * @param a        its first
     * @param b        its second
     * @param c        its third
     * @param d        its fourth
     * @param e        its fifth
     * @return what it returns
     */
    public static int call(CFunction function, long a, long b, long c, long d, long e) {
        try {
            return (int) CALL_5.invokeExact(function.address(), a, b, c, d, e);
        } catch (Throwable t) {
            throw failure(function, t);
        }
    }

    /**
     * Calls a function of six arguments.
     *
     * @param function that exists
     * @param a        its first
     * @param b        its second
     * @param c        its third
     * @param d        its fourth
     * @param e        its fifth
     * @param f        its sixth
     * @return what it returns
     */
    public static int call(CFunction function, long a, long b, long c, long d, long e, long f) {
        try {
            return (int) CALL_6.invokeExact(function.address(), a, b, c, d, e, f);
        } catch (Throwable t) {
            throw failure(function, t);
        }
    }

    /**
     * Calls a function of seven arguments.
     *
     * @param function that exists
     * @param a        its first
     * @param b        its second
     * @param c        its third
     * @param d        its fourth
     * @param e        its fifth
     * @param f        its sixth
     * @param g        its seventh
     * @return what it returns
     */
    public static int call(CFunction function, long a, long b, long c, long d, long e, long f, long g) {
        try {
            return (int) CALL_7.invokeExact(function.address(), a, b, c, d, e, f, g);
        } catch (Throwable t) {
            throw failure(function, t);
        }
    }

    /**
     * What to throw if a call did not get as far as the function.
     *
     * @param function that was called
     * @param thrown   by the handle
     * @return with the function's name
     */
    public static AssertionError failure(CFunction function, Throwable thrown) {
        return new AssertionError("cannot call " + function.name() + " this way", thrown);
    }
}

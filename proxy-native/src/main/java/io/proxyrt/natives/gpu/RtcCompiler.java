/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.natives.gpu;

import static io.proxyrt.natives.CCalls.call;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.natives.CFunction;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** What NVRTC and hipRTC have in common. */
abstract class RtcCompiler implements GpuCompiler {
    private static final int SUCCESS = 0;
    /** {@code NVRTC_ERROR_COMPILATION}, {@code HIPRTC_ERROR_COMPILATION}: it is the source. */
    private static final int COMPILATION = 6;

    private final CFunction version;
    private final CFunction create;
    private final CFunction compile;
    private final CFunction destroy;
    private final CFunction logSize;
    private final CFunction log;
    private final CFunction codeSize;
    private final CFunction code;
    private final CFunction errorString;
    private final GpuLibrary.Symbols symbols;

    /** With the prefix of all its functions, and what those of the code are named after. */
    RtcCompiler(GpuLibrary.Symbols symbols, String prefix, String codeName) {
        version = symbols.need(prefix + "Version");
        create = symbols.need(prefix + "CreateProgram");
        compile = symbols.need(prefix + "CompileProgram");
        destroy = symbols.need(prefix + "DestroyProgram");
        logSize = symbols.need(prefix + "GetProgramLogSize");
        log = symbols.need(prefix + "GetProgramLog");
        codeSize = symbols.need(prefix + "Get" + codeName + "Size");
        code = symbols.need(prefix + "Get" + codeName);
        errorString = symbols.need(prefix + "GetErrorString");
        this.symbols = symbols;
    }

    /** Why an architecture is not to be tried; empty if it is known. */
    abstract String whyNotFor(String architecture);

    @Override
    public final String whyNot() {
        return symbols.whyNot();
    }

    @Override
    public final String version() {
        if (!whyNot().isEmpty()) {
            return "";
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment numbers = arena.allocate(JAVA_INT, 2);
            call(version, numbers.address(), numbers.address() + Integer.BYTES);
            return numbers.get(JAVA_INT, 0) + "." + numbers.get(JAVA_INT, Integer.BYTES);
        }
    }

    @Override
    public final byte[] compile(String name, String source, String architecture) {
        if (!whyNot().isEmpty()) {
            throw new ProxyException(ProxyResult.INVALID_USAGE, name + " cannot be compiled: " + whyNot());
        }
        String unknown = whyNotFor(architecture);
        if (!unknown.isEmpty()) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, name + " cannot be compiled: " + unknown);
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment program = arena.allocate(JAVA_LONG);
            check(call(create, program.address(), arena.allocateFrom(source).address(),
                    arena.allocateFrom(name).address(), 0, 0, 0), create, name);
            try {
                compile(arena, program.get(JAVA_LONG, 0), name, architecture);
                return code(arena, program.get(JAVA_LONG, 0), name);
            } finally {
                call(destroy, program.address());
            }
        }
    }

    private void compile(Arena arena, long program, String name, String architecture) {
        MemorySegment options = arena.allocate(JAVA_LONG);
        options.set(JAVA_LONG, 0, arena.allocateFrom("--gpu-architecture=" + architecture).address());
        int result = call(compile, program, 1, options.address());
        if (result == COMPILATION) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, name + " does not compile for " + architecture
                    + ":\n" + log(arena, program));
        }
        check(result, compile, name + " for " + architecture);
    }

    private String log(Arena arena, long program) {
        MemorySegment size = arena.allocate(JAVA_LONG);
        if (call(logSize, program, size.address()) != SUCCESS || size.get(JAVA_LONG, 0) == 0) {
            return "the compiler does not say why";
        }
        MemorySegment text = arena.allocate(size.get(JAVA_LONG, 0) + 1);
        call(log, program, text.address());
        return text.getString(0);
    }

    private byte[] code(Arena arena, long program, String name) {
        MemorySegment size = arena.allocate(JAVA_LONG);
        check(call(codeSize, program, size.address()), codeSize, name);
        MemorySegment bytes = arena.allocate(size.get(JAVA_LONG, 0));
        check(call(code, program, bytes.address()), code, name);
        return bytes.toArray(JAVA_BYTE);
    }

    private void check(int result, CFunction function, String what) {
        if (result != SUCCESS) {
            throw new ProxyException(ProxyResult.UNHANDLED_DEVICE_ERROR, function.name() + " of " + what + ": "
                    + GpuCalls.text(errorString, result) + " (" + result + ")");
        }
    }
}

/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.natives.verbs;

import static io.proxyrt.natives.verbs.IbvLibrary.MEMORY;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.verbs.Verbs;
import io.proxyrt.core.verbs.VerbsContext;
import io.proxyrt.natives.Errno;
import io.proxyrt.natives.LinuxPlatform;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongFunction;

/** The verbs of {@code libibverbs.so.1}. */
public final class LibVerbs implements Verbs {
    private static final String SONAME = "libibverbs.so.1";

    private final String soname;
    private final IbvLibrary library;
    private final String whyNot;

    /** For {@link java.util.ServiceLoader}. */
    public LibVerbs() {
        this(SONAME);
    }

    LibVerbs(String soname) {
        this.soname = soname;
        String platform = new LinuxPlatform().whyNot();
        this.library = platform.isEmpty() ? load(soname) : null;
        this.whyNot = !platform.isEmpty() ? platform : missing();
    }

    private static IbvLibrary load(String soname) {
        try {
            return IbvLibrary.load(soname);
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    private String missing() {
        if (library == null) {
            return soname + " cannot be loaded; install it and the drivers of its devices (rdma-core, or on Debian"
                    + " libibverbs1 and ibverbs-providers)";
        }
        return library.missing().isEmpty() ? "" : soname + " without " + String.join(", ", library.missing())
                + ": too old, or something else of that name";
    }

    @Override
    public String name() {
        return soname;
    }

    @Override
    public String whyNot() {
        return whyNot;
    }

    @Override
    public List<String> devices() {
        List<String> names = new ArrayList<>();
        search(device -> {
            names.add(text(device, IbvLayout.DEVICE_NAME));
            return null;
        });
        return List.copyOf(names);
    }

    @Override
    public VerbsContext open(String name) {
        VerbsContext context = search(device -> text(device, IbvLayout.DEVICE_NAME).equals(name)
                ? new LibContext(library, device) : null);
        if (context == null) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, "there is no RDMA device " + name + " here, only "
                    + devices());
        }
        return context;
    }

    /** Shows the devices one by one, while their list exists, until one has a result. */
    private <T> T search(LongFunction<T> visitor) {
        if (!whyNot.isEmpty()) {
            throw new ProxyException(ProxyResult.SYSTEM_ERROR, whyNot);
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment errno = Errno.capture(arena);
            MemorySegment count = arena.allocate(JAVA_INT);
            long list = IbvCalls.pointer(library.getDeviceList, errno, count.address());
            if (list == 0) {
                throw IbvErrors.list(Errno.of(errno));
            }
            try {
                return search(list, count.get(JAVA_INT, 0), visitor);
            } finally {
                IbvCalls.callVoid(library.freeDeviceList, list);
            }
        }
    }

    private static <T> T search(long list, int count, LongFunction<T> visitor) {
        T result = null;
        for (int i = 0; i < count && result == null; i++) {
            result = visitor.apply(MEMORY.get(JAVA_LONG, list + (long) i * Long.BYTES));
        }
        return result;
    }

    static String text(long structure, long offset) {
        return MEMORY.getString(structure + offset);
    }
}

/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.failure;

import io.proxyrt.bootstrap.UniqueId;
import io.proxyrt.cli.failure.FaultRank.Misdeed;
import io.proxyrt.collectives.Communicator;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.runtime.ProxyState;
import java.io.BufferedReader;
import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/**
 * A rank in a process of its own, which works until it is told a misdeed, or sees a failure: that it prints. Either way
 * it closes what it has by try-with-resources, as a user's program does, and stays alive.
 */
final class FaultChild {
    private static final int FIRST_ROUNDS = 5;
    private static final int SPARE = 8;

    private final int rank;
    private final int nRanks;
    private final ProxyConfig config;
    private final BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
    private volatile Misdeed misdeed = Misdeed.NONE;

    private FaultChild(int rank, int nRanks, ProxyConfig config) {
        this.rank = rank;
        this.nRanks = nRanks;
        this.config = config;
    }

    /** Arguments: rank, number of ranks, folder of the runtimes, what to be short of, options as key=value. */
    public static void main(String[] args) throws Exception {
        ProxyConfig.Builder config = ProxyConfig.builder().environment(Map.of()).set(CoreOptions.DIRECTORY, args[2]);
        for (int i = 4; i < args.length; i++) {
            config.set(args[i].substring(0, args[i].indexOf('=')), args[i].substring(args[i].indexOf('=') + 1));
        }
        FaultChild child = new FaultChild(Integer.parseInt(args[0]), Integer.parseInt(args[1]), config.build());
        String[] words = child.in.readLine().split(" ");
        List<Object> taken = new ArrayList<>();
        if (args[3].equals("descriptors")) {
            // Without descriptors no class can be loaded either, unless it is in a jar that is open.
            loadClasses();
            ProxyState.builder().config(child.config).start().close();
            takeDescriptors(taken);
        }
        child.live(words);
        child.in.readLine();
    }

    private void live(String[] words) {
        try (FaultRank work = words[0].equals("join") ? join(words[1])
                : FaultLink.connect(rank, config, in, words[1])) {
            for (int i = 0; i < FIRST_ROUNDS; i++) {
                work.round(Misdeed.NONE);
            }
            System.out.println("running");
            Thread.ofPlatform().daemon().start(() -> listen(work));
            for (;;) {
                round(work, misdeed);
            }
        } catch (ProxyException e) {
            System.out.println("failed " + e.result() + " " + e.getMessage());
        } catch (IllegalStateException | OutOfMemoryError e) {
            System.out.println("left by " + e);
        } catch (IOException e) {
            System.out.println("lost its parent: " + e);
        }
    }

    private FaultRank join(String id) {
        return new FaultComm(Communicator.init(UniqueId.parse(id), rank, nRanks, config));
    }

    private void round(FaultRank work, Misdeed now) {
        switch (now) {
            case THROW -> throw new IllegalStateException("a bug of the user's program");
            case EXHAUST -> exhaust();
            case NEVER -> LockSupport.park();
            default -> work.round(now);
        }
    }

    private void listen(FaultRank work) {
        try {
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                if (line.equals("dump")) {
                    System.out.println("dump " + work.dump());
                } else {
                    misdeed = Misdeed.valueOf(line);
                }
            }
        } catch (IOException e) {
            misdeed = Misdeed.THROW;
        }
    }

    private static void exhaust() {
        List<byte[]> heap = new ArrayList<>();
        for (;;) {
            heap.add(new byte[1 << 20]);
        }
    }

    private static void loadClasses() throws Exception {
        String[] places = System.getProperty("java.class.path").split(File.pathSeparator);
        for (Path folder : Stream.of(places).map(Path::of)
                .filter(path -> Files.isDirectory(path.resolve("io"))).toList()) {
            try (Stream<Path> files = Files.walk(folder)) {
                for (Path file : files.filter(path -> path.toString().endsWith(".class")).toList()) {
                    String name = folder.relativize(file).toString();
                    if (!name.equals("module-info.class")) {
                        Class.forName(name.substring(0, name.length() - ".class".length()).replace('/', '.'), false,
                                FaultChild.class.getClassLoader());
                    }
                }
            }
        }
    }

    /** All but a few. */
    private static void takeDescriptors(List<Object> taken) throws IOException {
        List<FileInputStream> open = new ArrayList<>();
        try {
            for (;;) {
                open.add(new FileInputStream("/dev/null"));
            }
        } catch (IOException e) {
            for (int i = 0; i < SPARE; i++) {
                open.removeLast().close();
            }
        }
        taken.addAll(open);
    }
}

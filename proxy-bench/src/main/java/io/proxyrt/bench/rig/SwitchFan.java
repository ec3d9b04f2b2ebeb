/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.rig;

import io.proxyrt.core.DataType;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.RedOp;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.transport.collnet.aggregation.AggregationSwitch;
import io.proxyrt.transport.collnet.aggregation.SwitchConfig;
import io.proxyrt.transport.collnet.spi.CollNetComm;
import io.proxyrt.transport.collnet.spi.CollNetConnectComm;
import io.proxyrt.transport.collnet.spi.CollNetListenComm;
import io.proxyrt.transport.collnet.spi.CollNetMemory;
import io.proxyrt.transport.collnet.spi.CollNetPlugin;
import io.proxyrt.transport.collnet.spi.CollNetPluginProvider;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;

/**
 * A switch of one thread, and participants that the calling thread drives on the same CPU: so the switch runs when much
 * has come, and looks in vain seldom.
 */
final class SwitchFan implements AutoCloseable {
    private static final String THREAD = "proxy-switch-0";
    private static final long COUNT = SwitchRig.CALL_BYTES / Float.BYTES;
    /** Calls under way. */
    private static final int WINDOW = 4;

    private final Deque<AutoCloseable> opened = new ArrayDeque<>();
    private final Arena arena = Arena.ofShared();
    private final List<CollNetComm> comms = new ArrayList<>();
    private final List<CollNetMemory> inputs = new ArrayList<>();
    private final List<CollNetMemory> outputs = new ArrayList<>();
    private final long[][] requests;
    private Thread thread;

    private SwitchFan(int participants) {
        opened.push(arena);
        requests = new long[WINDOW][participants];
    }

    static SwitchFan start(RigArguments arguments, int participants) {
        SwitchFan fan = new SwitchFan(participants);
        try {
            fan.open(arguments, participants);
            return fan;
        } catch (RuntimeException | Error e) {
            fan.close();
            throw e;
        }
    }

    private void open(RigArguments arguments, int participants) {
        Pinning.pin(arguments, 0);
        AggregationSwitch running = open(AggregationSwitch.start(SwitchConfig.of(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), config("control.linger", "0"))));
        thread = Thread.getAllStackTraces().keySet().stream().filter(one -> one.getName().equals(THREAD)).findFirst()
                .orElseThrow();
        connect("127.0.0.1:" + running.address().getPort(), participants);
    }

    private static ProxyConfig config(String key, String value) {
        return RigArguments.config(Map.of(key, value)).build();
    }

    private void connect(String address, int participants) {
        CollNetPluginProvider provider = ServiceLoader.load(CollNetPluginProvider.class).stream()
                .map(ServiceLoader.Provider::get).filter(one -> one.name().equals("Switch")).findFirst().orElseThrow();
        List<CollNetPlugin> nets = new ArrayList<>();
        List<CollNetListenComm> listens = new ArrayList<>();
        for (int rank = 0; rank < participants; rank++) {
            nets.add(open(provider.create(config("collnet.switch", address), rank)));
            listens.add(open(nets.get(rank).listen(0)));
        }
        List<ByteBuffer> handles = listens.stream().map(CollNetListenComm::handle).toList();
        List<CollNetConnectComm> attempts = new ArrayList<>();
        for (int rank = 0; rank < participants; rank++) {
            attempts.add(open(nets.get(rank).connect(0, handles, rank, listens.get(rank))));
        }
        await(attempts).forEach(this::add);
    }

    private <T extends AutoCloseable> T open(T resource) {
        opened.push(resource);
        return resource;
    }

    private static List<CollNetComm> await(List<CollNetConnectComm> attempts) {
        CollNetComm[] found = new CollNetComm[attempts.size()];
        for (int missing = found.length; missing > 0;) {
            for (int i = 0; i < found.length; i++) {
                if (found[i] == null) {
                    found[i] = attempts.get(i).connect();
                    missing -= found[i] == null ? 0 : 1;
                }
            }
            Thread.onSpinWait();
        }
        return List.of(found);
    }

    private void add(CollNetComm comm) {
        comms.add(open(comm));
        MemorySegment input = arena.allocate(SwitchRig.CALL_BYTES, 64);
        for (long i = 0; i < COUNT; i++) {
            input.setAtIndex(ValueLayout.JAVA_FLOAT, i, comms.size());
        }
        inputs.add(open(comm.regMr(input)));
        outputs.add(open(comm.regMr(arena.allocate(SwitchRig.CALL_BYTES, 64))));
    }

    /** All-reduces for so long. */
    SwitchRig.Share run(long durationNs) {
        for (int i = 0; i < WINDOW; i++) {
            post(i);
        }
        SwitchRig.Share before = SwitchRig.Share.of(thread);
        long end = System.nanoTime() + durationNs;
        long calls = 0;
        for (; calls == 0 || System.nanoTime() - end < 0; calls++) {
            int next = (int) (calls % WINDOW);
            await(next);
            post(next);
        }
        SwitchRig.Share share = SwitchRig.Share.of(thread).since(before, calls * SwitchRig.CALL_BYTES);
        for (int i = 0; i < WINDOW; i++) {
            await((int) ((calls + i) % WINDOW));
        }
        check();
        return share;
    }

    private void post(int window) {
        for (int i = 0; i < comms.size(); i++) {
            requests[window][i] = checked(i, comms.get(i).iallreduce(inputs.get(i), 0, outputs.get(i), 0, COUNT,
                    DataType.FLOAT32, RedOp.SUM));
        }
    }

    private void await(int window) {
        for (int left = comms.size(); left > 0;) {
            for (int i = 0; i < comms.size(); i++) {
                if (requests[window][i] != 0 && checked(i, comms.get(i).test(requests[window][i])) == 1) {
                    requests[window][i] = 0;
                    left--;
                }
            }
            Thread.yield();
        }
    }

    private long checked(int rank, long result) {
        if (result < 0) {
            throw new IllegalStateException(ProxyResult.of((int) -result) + ": " + comms.get(rank).failure());
        }
        return result;
    }

    private void check() {
        float expected = comms.size() * (comms.size() + 1) / 2f;
        for (CollNetMemory output : outputs) {
            for (long i = 0; i < COUNT; i++) {
                if (output.segment().getAtIndex(ValueLayout.JAVA_FLOAT, i) != expected) {
                    throw new IllegalStateException("a wrong sum at " + i);
                }
            }
        }
    }

    @Override
    public void close() {
        while (!opened.isEmpty()) {
            try {
                opened.pop().close();
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }
    }
}

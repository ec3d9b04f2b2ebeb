/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.Direction;
import io.proxyrt.core.Protocol;
import io.proxyrt.core.counters.Counters;
import io.proxyrt.core.device.Device;
import io.proxyrt.core.device.DeviceCapability;
import io.proxyrt.core.device.DeviceConnection;
import io.proxyrt.core.device.DeviceMemory;
import io.proxyrt.core.device.host.HostDevice;
import io.proxyrt.core.progress.ProxyArgs;
import io.proxyrt.core.progress.ProxyArgs.State;
import io.proxyrt.core.progress.ProxyRegistration;
import io.proxyrt.core.progress.ProxySubArgs;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;

/**
 * Kernels, two proxies and a network take turns in an order that a seed decides, op after op. All connections lead from
 * ranks whose proxy is rank 0 to rank 1, so that a group on either side has as many subs as there are connections.
 */
final class NetSimulation implements AutoCloseable {
    private static final int MAX_TURNS = 4_000_000;
    private static final int FIRST_RANK = 100;

    private final NetScenario scenario;
    private final Random random;
    private final ManualNet net;
    private final TestProxy sender;
    private final TestProxy receiver;
    private final List<TestEnd> sends = new ArrayList<>();
    private final List<TestEnd> recvs = new ArrayList<>();
    private final List<DeviceMemory> userMemory = new ArrayList<>();
    private final List<PassCheck> sendOps = new ArrayList<>();
    private final List<PassCheck> recvOps = new ArrayList<>();
    private final List<SimulatedKernel> writers = new ArrayList<>();
    private final List<SimulatedKernel> readers = new ArrayList<>();
    private long passes;

    NetSimulation(NetScenario scenario, Random random, Counters counters) {
        this.scenario = scenario;
        this.random = random;
        this.net = new ManualNet(scenario.maxRecvs());
        net.isFlushing = scenario.isFlushing();
        sender = new TestProxy(0, scenario.config(), net, counters, device());
        receiver = new TestProxy(1, scenario.config(), net, counters, device());
    }

    private Device device() {
        if (!scenario.isGdr()) {
            return new HostDevice(0);
        }
        GdrDevice device = new GdrDevice();
        if (scenario.isGdrCopy()) {
            device.capabilities.addAll(Set.of(DeviceCapability.WRITE_FLUSH, DeviceCapability.GDRCOPY_FLUSH));
            device.onFlush = () -> net.wires.forEach(ManualWire::flushAll);
        }
        net.devices.add(device);
        return device;
    }

    /** Returns how many passes it took. */
    long run() {
        connect();
        int ops = random.nextInt(2, 7);
        for (int op = 0; op < ops; op++) {
            begin(op);
            carry();
            assertConserved();
        }
        return passes;
    }

    private void connect() {
        List<ByteBuffer> sendInfos = new ArrayList<>();
        List<ByteBuffer> recvInfos = new ArrayList<>();
        int connIndex = scenario.isShared() ? 1 : 0;
        int channel = random.nextInt(2);
        for (int i = 0; i < scenario.connections(); i++) {
            sends.add(sender.end(Direction.SEND, FIRST_RANK + i, 1, channel, connIndex));
            recvs.add(receiver.end(Direction.RECV, 1, FIRST_RANK + i, channel, connIndex));
            sendInfos.add(sends.get(i).setUp());
            recvInfos.add(recvs.get(i).setUp());
        }
        net.pendingAccepts = random.nextInt(5);
        net.pendingConnects = random.nextInt(5);
        int left = 2 * scenario.connections();
        for (int turn = 0; left > 0; turn++) {
            assertTrue(turn < MAX_TURNS, "connections are never there");
            int i = random.nextInt(scenario.connections());
            TestEnd end = random.nextBoolean() ? sends.get(i) : recvs.get(i);
            boolean wasThere = end.kernelEnd != null;
            left -= end.connect((sends.contains(end) ? recvInfos : sendInfos).get(i)) && !wasThere ? 1 : 0;
        }
        assertEquals(scenario.isShared() && scenario.maxRecvs() > 1 ? 1 : scenario.connections(), net.wires.size());
    }

    private void begin(int op) {
        int slice = scenario.protocol() == Protocol.SIMPLE ? 1 << random.nextInt(3) : 1;
        int chunk = Math.min(slice << random.nextInt(3), DeviceConnection.STEPS / 2);
        sendOps.clear();
        recvOps.clear();
        writers.clear();
        readers.clear();
        userMemory.forEach(DeviceMemory::close);
        userMemory.clear();
        ProxyArgs send = null;
        ProxyArgs recv = null;
        for (int i = 0; i < scenario.connections(); i++) {
            int nsteps = slice * random.nextInt(1, scenario.connections() > 8 ? 8 : 40);
            SimulatedKernel.Op work = new SimulatedKernel.Op(scenario.protocol(), nsteps, slice, chunk,
                    random.nextLong());
            send = add(send, sends.get(i), op, work, sendOps);
            recv = add(recv, recvs.get(i), op, work, recvOps);
            writers.add(SimulatedKernel.sending(sends.get(i).kernelEnd, work, user(sends.get(i), last(send), work)));
            readers.add(SimulatedKernel.receiving(recvs.get(i).kernelEnd, work, user(recvs.get(i), last(recv), work)));
        }
    }

    private static ProxySubArgs last(ProxyArgs args) {
        return args.sub(args.nsubs() - 1);
    }

    /** Into the group of all, on shared connections; else as a group of its own. */
    private ProxyArgs add(ProxyArgs group, TestEnd end, int op, SimulatedKernel.Op work, List<PassCheck> ops) {
        if (group != null && scenario.isShared()) {
            group.add(end.connection, work.nsteps(), sliceBytes(work));
            ops.getFirst().add(end);
            return group;
        }
        ProxyArgs args = ProxyArgs.of(end.connection, op, work.nsteps(), work.slice(), work.chunk(), sliceBytes(work))
                .protocol(scenario.protocol());
        PassCheck check = new PassCheck(args, scenario);
        check.add(end);
        ops.add(check);
        return args;
    }

    private long sliceBytes(SimulatedKernel.Op work) {
        return scenario.isShared() && scenario.protocol() == Protocol.SIMPLE ? NetScenario.CHUNK_BYTES
                : sends.getFirst().kernelEnd.stepBytes(scenario.protocol()) * work.slice();
    }

    /** Registers memory in which the buffers lie somewhere; on the sending side both, with one handle. */
    private MemorySegment user(TestEnd end, ProxySubArgs sub, SimulatedKernel.Op work) {
        if (!scenario.usesUser()) {
            return null;
        }
        end.connection.registrations().forEach(end::deregister);
        boolean isSend = end.request.direction() == Direction.SEND;
        long bytes = sliceBytes(work) * DeviceConnection.STEPS * (isSend ? 2 : 1);
        long lead = random.nextInt(3) * 64L;
        // Whole pages, for networks that reach GPUs.
        DeviceMemory memory = end.proxy.device.allocate(2 * lead + bytes + 4095 & -4096);
        userMemory.add(memory);
        ProxyRegistration registration = end.register(memory, lead, lead + bytes);
        sub.reg = true;
        sub.sendMhandle = isSend ? registration.handle() : 0;
        sub.recvMhandle = registration.handle();
        sub.sendbuff = isSend ? lead : 0;
        sub.recvbuff = isSend ? lead + bytes / 2 : lead;
        return memory.range().asSlice(2 * lead, bytes);
    }

    private void carry() {
        int[] weights = random.ints(7, 1, 12).toArray();
        weights[6] = Math.max(1, weights[6]);
        for (long turn = 0; !isOver(); turn++) {
            if (turn == MAX_TURNS) {
                throw new AssertionError("nothing moves any more: " + sendOps + recvOps + writers + readers);
            }
            switch (pick(weights)) {
                case 0 -> kernel(writers).step();
                case 1 -> kernel(readers).step();
                case 2 -> any(net.wires).deliver(scenario.isFlushing() && scenario.protocol() == Protocol.SIMPLE);
                case 3 -> any(net.wires).complete();
                case 4 -> any(net.wires).completeFlush();
                case 5 -> pass(sender, any(sendOps));
                default -> pass(receiver, any(recvOps));
            }
        }
        writers.forEach(writer -> assertTrue(writer.isDone(), writer::toString));
        readers.forEach(reader -> assertTrue(reader.isDone(), reader::toString));
    }

    private boolean isOver() {
        return isOver(sendOps) && isOver(recvOps);
    }

    private static boolean isOver(List<PassCheck> ops) {
        for (PassCheck op : ops) {
            if (!op.isOver()) {
                return false;
            }
        }
        return true;
    }

    private void pass(TestProxy proxy, PassCheck op) {
        if (op.args.state != State.NONE) {
            boolean isRefused = scenario.backPressure() > 0 && random.nextInt(scenario.backPressure()) == 0;
            net.refusedSends = isRefused ? 1 : 0;
            net.refusedRecvs = isRefused ? 1 : 0;
            op.before();
            op.after(proxy.advance(op.args));
            passes++;
        }
    }

    private SimulatedKernel kernel(List<SimulatedKernel> kernels) {
        if (scenario.isSequential()) {
            return kernels.stream().filter(kernel -> !kernel.isDone()).findFirst().orElse(kernels.getFirst());
        }
        return any(kernels);
    }

    private <T> T any(List<T> list) {
        return list.get(list.size() == 1 ? 0 : random.nextInt(list.size()));
    }

    private int pick(int[] weights) {
        int sum = 0;
        for (int weight : weights) {
            sum += weight;
        }
        int left = random.nextInt(sum);
        int choice = 0;
        while (left >= weights[choice]) {
            left -= weights[choice++];
        }
        return choice;
    }

    /** Both proxies and both kernels count the same steps; nothing is left behind. */
    private void assertConserved() {
        for (int i = 0; i < sends.size(); i++) {
            long step = sends.get(i).resources().step;
            assertEquals(step, recvs.get(i).resources().step, "step conservation");
            assertEquals(step, sends.get(i).kernelEnd.step());
            assertEquals(step, recvs.get(i).kernelEnd.step());
            assertEquals(0, sends.get(i).resources().underWay);
            assertEquals(0, recvs.get(i).resources().underWay);
        }
        for (ManualWire wire : net.wires) {
            assertEquals(wire.sent, wire.completed);
            assertEquals(wire.sent, wire.delivered);
        }
    }

    /** Everything is given back. */
    @Override
    public void close() {
        sender.close();
        receiver.close();
        assertEquals(0, net.open, "something of the network was not closed");
        assertEquals(0, sender.shared() + receiver.shared(), "something shared was not given back");
    }

    @Override
    public String toString() {
        return scenario.toString();
    }
}

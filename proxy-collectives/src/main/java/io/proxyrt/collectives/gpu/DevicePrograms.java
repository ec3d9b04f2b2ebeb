/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives.gpu;

import io.proxyrt.core.DataType;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.ReduceOp;
import io.proxyrt.core.device.Device;
import io.proxyrt.core.device.DeviceKernel;
import io.proxyrt.core.device.DeviceModule;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * The kernels of a device, compiled when they are first needed. A driver may load a kernel no sooner than it is first
 * launched, and then waits for those that run, which may wait for this one: so each is launched once with nothing to
 * do, while nothing runs. The launching thread only.
 */
public final class DevicePrograms implements AutoCloseable {
    static final int RING_ARGUMENTS = 15;
    static final int MESSAGE_ARGUMENTS = 15;
    static final int ONE_SHOT_ARGUMENTS = 10;
    static final int TREE_ARGUMENTS = 12;
    private static final Duration FIRST_LAUNCH_TIMEOUT = Duration.ofSeconds(30);

    private final Device device;
    private final LaunchQueue queue;
    private final List<DeviceModule> modules = new ArrayList<>();
    private final DeviceKernel[][] rings = new DeviceKernel[DataType.values().length][ReduceOp.CODES];
    private final DeviceKernel[][] shots = new DeviceKernel[DataType.values().length][ReduceOp.CODES];
    private final DeviceKernel[][] trees = new DeviceKernel[DataType.values().length][ReduceOp.CODES];
    private final LaunchArguments treeArguments = new LaunchArguments(TREE_ARGUMENTS);
    private final LaunchArguments oneShotArguments = new LaunchArguments(ONE_SHOT_ARGUMENTS);
    private final LaunchArguments ringArguments = new LaunchArguments(RING_ARGUMENTS);
    private final LaunchArguments messageArguments = new LaunchArguments(MESSAGE_ARGUMENTS);
    private final DeviceKernel plainRing;
    private final DeviceKernel plainShot;
    private final DeviceKernel message;
    /** Of broadcasts; null until it is loaded. */
    private DeviceKernel plainTree;

    /**
     * Compiles what reduces nothing. Blocks for as long as the compiler takes.
     *
     * @param device of the kernels
     * @param queue  of their launches
     * @throws ProxyException {@link ProxyResult#INVALID_USAGE} if the device has no compiler
     */
    public DevicePrograms(Device device, LaunchQueue queue) {
        this.device = device;
        this.queue = queue;
        DeviceModule module = compile("proxyrt-plain", KernelSource.plain());
        try {
            this.plainRing = module.kernel("proxyrtRing");
            this.plainShot = module.kernel("proxyrtOneShot");
            this.message = module.kernel("proxyrtMessage");
            queue.launch(plainRing, 1, ringArguments, null);
            queue.launch(plainShot, 1, oneShotArguments, null);
            queue.launch(message, 1, messageArguments, null);
            queue.synchronize(FIRST_LAUNCH_TIMEOUT);
        } catch (RuntimeException | Error e) {
            queue.close();
            close();
            throw e;
        }
    }

    /**
     * Whether a reduction's kernel is there.
     *
     * @param type of the elements
     * @param op   null for a collective that reduces nothing
     * @return false if it has to be loaded first
     */
    public boolean isLoaded(DataType type, ReduceOp op) {
        return op == null || rings[type.ordinal()][op.code()] != null;
    }

    /**
     * Compiles a reduction's kernel. Blocks for as long as the compiler takes; nothing may run.
     *
     * @param type of the elements
     * @param op   how to reduce
     */
    public void load(DataType type, ReduceOp op) {
        DeviceModule module = compile(name(type, op), KernelSource.of(type, op));
        DeviceKernel ring = module.kernel("proxyrtRing");
        DeviceKernel shot = module.kernel("proxyrtOneShot");
        ringArguments.clear();
        oneShotArguments.clear();
        queue.launch(ring, 1, ringArguments, null);
        queue.launch(shot, 1, oneShotArguments, null);
        queue.synchronize(FIRST_LAUNCH_TIMEOUT);
        rings[type.ordinal()][op.code()] = ring;
        shots[type.ordinal()][op.code()] = shot;
    }

    /**
     * Whether the kernel of a collective by trees is there.
     *
     * @param type of the elements
     * @param op   null for a collective that reduces nothing
     * @return false if it has to be loaded first
     */
    public boolean isTreeLoaded(DataType type, ReduceOp op) {
        return tree(type, op) != null;
    }

    /**
     * Compiles the kernel of a collective by trees. Blocks for as long as the compiler takes; nothing may run.
     *
     * @param type of the elements
     * @param op   null for a collective that reduces nothing
     */
    public void loadTree(DataType type, ReduceOp op) {
        DeviceKernel tree = compile(treeName(type, op), KernelSource.trees(type, op)).kernel("proxyrtTree");
        treeArguments.clear();
        queue.launch(tree, 1, treeArguments, null);
        queue.synchronize(FIRST_LAUNCH_TIMEOUT);
        if (op == null) {
            plainTree = tree;
        } else {
            trees[type.ordinal()][op.code()] = tree;
        }
    }

    /**
     * As {@link #compileAhead}, of collectives by trees.
     *
     * @param type of the elements
     * @param op   how to reduce
     */
    public void compileTreeAhead(DataType type, ReduceOp op) {
        device.compileAhead(treeName(type, op), KernelSource.trees(type, op));
    }

    private static String treeName(DataType type, ReduceOp op) {
        return op == null ? "proxyrt-tree" : name(type, op) + "-tree";
    }

    /**
     * The kernel of collectives by trees.
     *
     * @param type of the elements
     * @param op   null if nothing is reduced
     * @return null before it is loaded
     */
    public DeviceKernel tree(DataType type, ReduceOp op) {
        return op == null ? plainTree : trees[type.ordinal()][op.code()];
    }

    /**
     * The parameters of a collective by trees.
     *
     * @return those of {@link #tree}: how, ranks, the first channel's connection with rank 0, from one rank's to the
     *         next one's, the places in both trees, buffers in and out, bytes, bytes of a part, scalar and its address
     */
    public LaunchArguments treeArguments() {
        return treeArguments;
    }

    /**
     * Says that a reduction's kernel will probably be loaded, which then takes less time. Returns at once.
     *
     * @param type of the elements
     * @param op   how to reduce
     */
    public void compileAhead(DataType type, ReduceOp op) {
        device.compileAhead(name(type, op), KernelSource.of(type, op));
    }

    private static String name(DataType type, ReduceOp op) {
        return "proxyrt-" + op.label() + "-" + type.label();
    }

    /**
     * The kernel of ring collectives.
     *
     * @param type of the elements
     * @param op   null if nothing is reduced
     * @return loaded
     */
    public DeviceKernel ring(DataType type, ReduceOp op) {
        return op == null ? plainRing : rings[type.ordinal()][op.code()];
    }

    /**
     * The kernel of collectives in one shot, or two.
     *
     * @param type of the elements
     * @param op   null if nothing is reduced
     * @return loaded
     */
    public DeviceKernel oneShot(DataType type, ReduceOp op) {
        return op == null ? plainShot : shots[type.ordinal()][op.code()];
    }

    /**
     * The parameters of a collective in one shot, or two.
     *
     * @return those of {@link #oneShot}: how and stamp, ranks, first connection, buffers in and out, bytes, from part
     *         to part, a block's share of a part, scalar and its address
     */
    public LaunchArguments oneShotArguments() {
        return oneShotArguments;
    }

    /** {@return what the kernels are launched on} */
    public LaunchQueue queue() {
        return queue;
    }

    /** {@return the kernel of messages} */
    public DeviceKernel message() {
        return message;
    }

    /**
     * The parameters of a collective.
     *
     * @return those of {@link #ring}: how, ranks, root and by what averages divide, buffers in and out, bytes, bytes of
     *         a part, parts, scalar and its address; then the handle by which the rank before knows the registered
     *         memory around the buffer out, where that lies there, and its bytes; the version of what the next rank has
     *         registered; and the first channel's connection from the rank before
     */
    public LaunchArguments ringArguments() {
        return ringArguments;
    }

    /**
     * Parameters of {@link #message}: connection, buffer, bytes, channels and LL bytes, in and then out; then the list,
     * how many of it in and out, and blocks in and out.
     *
     * @return to be set anew for each launch
     */
    public LaunchArguments messageArguments() {
        return messageArguments;
    }

    private DeviceModule compile(String name, String source) {
        DeviceModule module = device.compile(name, source);
        modules.add(module);
        return module;
    }

    /** Unloads all; no kernel may run. Idempotent. */
    @Override
    public void close() {
        modules.forEach(DeviceModule::close);
        modules.clear();
    }
}

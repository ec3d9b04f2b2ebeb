/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * Duties and the threads that carry them out.
 *
 * <p>Everything the runtime does is an {@link io.proxyrt.core.agent.Agent}: a bounded {@code doWork()} that never
 * blocks. Who calls it is a matter of configuration: a thread of its own, a thread shared with others, or the caller.
 * So the same code runs in a test that looks at every pass, in a program with more ranks than cores, and on a host with
 * cores to spare. Only the thread that runs an agent touches its state; others hand it commands.
 *
 * <p>A thread without work {@linkplain io.proxyrt.core.agent.BackoffIdle spins, then yields, then parks}. An agent that
 * others can wake announces itself before it parks and then looks once more, so no wake-up is lost; one that polls
 * something that is not announced, a socket or a control word, only ever parks for a moment.
 */
package io.proxyrt.core.agent;


/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * The threads that run agents: how one is set up (CPUs, priority, what it does while nothing moves), and what runs
 * several agents on one.
 */
package io.proxyrt.core.agent.thread;

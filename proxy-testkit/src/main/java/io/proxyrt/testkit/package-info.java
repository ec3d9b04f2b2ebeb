/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * What tests of runtimes share. {@link io.proxyrt.testkit.ScriptedTransport} stands in for a network,
 * {@link io.proxyrt.testkit.ChildJvm} is a rank in another process, {@link io.proxyrt.testkit.TwoHosts} are two hosts
 * with a cable that can be cut, and {@link io.proxyrt.testkit.Holdings} says what a process has not given back.
 */
package io.proxyrt.testkit;


/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * What proxyrt tells the JDK's Flight Recorder: event classes named {@code io.proxyrt.*}. Who tells something asks
 * {@link io.proxyrt.core.jfr.Jfr} first: while no recording wants an event, none is made, and a JVM without the module
 * {@code jdk.jfr} loads none of the classes.
 */
package io.proxyrt.core.jfr;

/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * What every network that carries out collectives must do, as tests: {@link
 * io.proxyrt.testkit.collnet.CollNetPluginConformance}. The author of such a network extends that class once for each
 * way in which it can be configured, and runs it with JUnit, which this module does not bring along.
 */
package io.proxyrt.testkit.collnet;

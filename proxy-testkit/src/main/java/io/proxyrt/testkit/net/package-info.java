/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * What every network must do, as tests: {@link io.proxyrt.testkit.net.NetPluginConformance}. The author of a
 * network extends that class once for each way in which the network can be configured, and runs it with JUnit, which
 * this module does not bring along.
 */
package io.proxyrt.testkit.net;


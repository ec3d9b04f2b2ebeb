/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * RDMA verbs without RDMA: {@link io.proxyrt.testkit.verbs.SoftVerbs} behaves as a host with RC queue pairs does,
 * between the devices of one {@link io.proxyrt.testkit.verbs.SoftFabric}, and lets a test hold messages back and break
 * ports. And what all verbs must do, as tests: {@link io.proxyrt.testkit.verbs.VerbsConformance}, which runs on the
 * real ones too.
 *
 * <p>Needs native access, as work requests name memory by its address.
 */
package io.proxyrt.testkit.verbs;

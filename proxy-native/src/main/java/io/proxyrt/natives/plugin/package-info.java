/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * Network plug-ins of NCCL and RCCL, by the FFM API: {@link io.proxyrt.natives.plugin.SharedLibrary} loads them, {@link
 * io.proxyrt.natives.plugin.TableReader} finds their functions, and {@link io.proxyrt.natives.plugin.NetBinding} calls
 * those of any version as version 12 has them. What they log comes to {@link io.proxyrt.natives.plugin.PluginLogger}.
 */
package io.proxyrt.natives.plugin;

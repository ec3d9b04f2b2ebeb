/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * Settings. Each {@link io.proxyrt.core.config.Option} is declared once, by the module that needs it, and found through
 * {@link io.proxyrt.core.config.OptionsProvider}; {@link io.proxyrt.core.config.ProxyConfig} resolves all of them for
 * one runtime and remembers where each value came from. Names of RCCL and NCCL are understood where they have one.
 */
package io.proxyrt.core.config;


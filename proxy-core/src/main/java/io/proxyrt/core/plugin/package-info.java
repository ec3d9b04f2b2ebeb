/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * Network plug-ins of NCCL and RCCL, as C libraries offer them: opened by {@link
 * io.proxyrt.core.plugin.NetLibraries}, called by {@link io.proxyrt.core.plugin.NetLibrary}. What differs from version
 * to version of NCCL's interface ends here: callers see that of version 12. C pointers are longs, 0 is NULL.
 *
 * <p>A plug-in is native code of others in this process. It is taken at its word where nothing can be checked, as by
 * NCCL: a pointer that it gives is valid, and memory is its own only as long as it is registered or a request uses it.
 *
 * <p>Calls may block where they must not. {@link io.proxyrt.core.plugin.PluginEntry} loads and initializes within a
 * time limit, {@link io.proxyrt.core.plugin.SetUpThread} makes calls that set up, and {@link
 * io.proxyrt.core.plugin.PluginUse} waits some seconds for those that close and finish, on a {@link
 * io.proxyrt.core.plugin.ClosingThread}. Tuners ({@link io.proxyrt.core.plugin.TunerLibrary}) are loaded and finished
 * in the same way.
 */
package io.proxyrt.core.plugin;

/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.devices;

import java.util.List;

/**
 * What came of looking for devices of a kind.
 *
 * @param kind     such as {@code cuda}
 * @param version  what its libraries say of themselves; empty if there are none
 * @param whyNot   why there is no device; empty if there is one
 * @param devices  those that could be opened
 * @param problems why others could not, one each
 */
record KindView(String kind, String version, String whyNot, List<DeviceView> devices, List<String> problems) {
}

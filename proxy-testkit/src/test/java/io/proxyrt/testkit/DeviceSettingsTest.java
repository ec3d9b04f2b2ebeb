/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.runtime.ProxyState;
import io.proxyrt.testkit.gpu.GpuAbi;
import io.proxyrt.testkit.gpu.StandInGpu;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Settings that depend on the device: a runtime tells those it works with. */
class DeviceSettingsTest {
    @ParameterizedTest
    @CsvSource({"cuda:0, , 2097152", "cuda:0, 1M, 1048576", "cuda:0, 3M, 3145728", "host, , 1048576"})
    void shouldTellOfTheBuffersThatItsDeviceGets(String device, String asked, long bytes, @TempDir Path directory) {
        assumeTrue(StandInGpu.whyNot().isEmpty(), StandInGpu.whyNot());
        StandInGpu gpu = StandInGpu.of(GpuAbi.CUDA);
        Map<String, String> options = new HashMap<>(Map.of("device", device, gpu.option(), gpu.folder().toString()));
        if (asked != null) {
            options.put("buffer.bytes", asked);
        }
        try (ProxyState proxy = Ranks.start(0, directory, ScriptedTransport.stuck(), options)) {
            assertEquals(bytes, proxy.config().get(CoreOptions.BUFFER_BYTES));
        }
    }
}

/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.cli.about.OptionsPage;
import io.proxyrt.core.config.KnownVariables;
import io.proxyrt.core.config.Option;
import io.proxyrt.core.config.ProxyConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The reference of options is whole, and is what the options say. */
class OptionsPageTest {
    private static final Path PAGE = Path.of(System.getProperty("basedir", ".")).toAbsolutePath()
            .resolveSibling("docs/configuration.md");

    private final List<Option<?>> options = ProxyConfig.providers().stream()
            .<Option<?>>flatMap(provider -> provider.options().stream()).toList();

    @Test
    void shouldBeThePageOfThisSource() throws IOException {
        List<String> made = OptionsPage.of(ProxyConfig.providers()).lines().toList();
        List<String> kept = Files.readAllLines(PAGE);
        for (int i = 0; i < Math.max(made.size(), kept.size()); i++) {
            String there = i < kept.size() ? kept.get(i) : "(nothing)";
            assertEquals(i < made.size() ? made.get(i) : "(nothing)", there, "line " + (i + 1)
                    + " of docs/configuration.md is old: ./proxyrt info options > docs/configuration.md");
        }
    }

    @Test
    void shouldSayOfEachOptionWhatForAndWhenToTouchIt() {
        assertEquals(List.of(), options.stream().filter(option -> option.description().isBlank()
                || option.when().isBlank() || option.values().isBlank()).map(Option::key).toList(),
                "options without a word: a description, and Option.when");
    }

    @Test
    void shouldHaveEachNameOnce() {
        Set<String> seen = new HashSet<>();
        assertEquals(List.of(), options.stream().map(Option::key).filter(key -> !seen.add(key)).toList());
        assertEquals(List.of(), options.stream().map(Option::alias).filter(alias -> !alias.isEmpty()
                && !seen.add(alias)).toList());
        assertTrue(options.size() > 150, "options of all modules: " + options.size());
    }

    @Test
    void shouldKnowTheSecondNamesOfOptionsAlsoWhereTheirModulesAreAbsent() {
        assertEquals(options.stream().map(Option::alias).filter(alias -> !alias.isEmpty()).sorted().toList(),
                KnownVariables.OPTIONS.names().stream().sorted().toList());
    }

    @Test
    void shouldReadTheDefaultsThatItShows() {
        assertEquals(List.of(), options.stream().filter(option -> !isRead(option)).map(Option::key).toList());
    }

    private static <T> boolean isRead(Option<T> option) {
        return option.parse(option.text(option.defaultValue()), "the page").equals(option.defaultValue());
    }
}

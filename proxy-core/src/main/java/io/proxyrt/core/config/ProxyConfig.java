/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.config;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.ServiceLoader;

/**
 * The effective settings of one runtime: immutable, validated, and able to tell where each value came from. The builder
 * wins over a property, a property over the environment, {@code PROXYRT_*} there over RCCL's name. No value is
 * process-global: two runtimes of one JVM may be configured differently. A key, or a name of {@code PROXYRT_*}, that
 * no module declares is an error. Names of NCCL and RCCL that have no effect are logged, once in a process: they may be
 * meant for others.
 */
public final class ProxyConfig {
    private static final String PREFIX = "proxyrt.";

    private final Map<Option<?>, Setting> settings;

    private ProxyConfig(Map<Option<?>, Setting> settings) {
        this.settings = settings;
    }

    /**
     * One option's effective value.
     *
     * @param option what is set
     * @param value  to what
     * @param source by what: {@code default}, {@code builder}, {@code property} or an environment name
     */
    public record Setting(Option<?> option, Object value, String source) {
        /**
         * The value for people.
         *
         * @return of a {@linkplain Option#ofSecret secret}, if it has one, only that it has
         */
        public String text() {
            String text = written(option, value);
            return option.isSecret() && !text.isEmpty() ? "(set)" : text;
        }

        @Override
        public String toString() {
            return option + "=" + text() + " (" + source + ")";
        }
    }

    /**
     * All options there are.
     *
     * @return those of the modules that are present, core's first, each under its provider
     */
    public static List<OptionsProvider> providers() {
        List<OptionsProvider> providers = new ArrayList<>(List.of(new CoreOptions()));
        ServiceLoader.load(OptionsProvider.class).forEach(providers::add);
        return List.copyOf(providers);
    }

    /**
     * Starts a configuration from the system properties and the environment of this process.
     *
     * @return a builder for one thread
     */
    public static Builder builder() {
        return new Builder();
    }

    /**
     * The effective value.
     *
     * @param <T>    its type
     * @param option of a module that is present
     * @return never null
     * @throws ProxyException {@link ProxyResult#INVALID_USAGE} if no module present declares the option
     */
    @SuppressWarnings("unchecked")
    public <T> T get(Option<T> option) {
        Setting setting = settings.get(option);
        if (setting == null) {
            throw new ProxyException(ProxyResult.INVALID_USAGE, "no module declares the option " + option
                    + " through " + OptionsProvider.class.getName());
        }
        return (T) setting.value();
    }

    /**
     * Whether the value was set explicitly, so that it is not the runtime's to adapt.
     *
     * @param option any
     * @return false if it is the default, or no module present declares the option
     */
    public boolean isSet(Option<?> option) {
        Setting setting = settings.get(option);
        return setting != null && !setting.source().equals("default");
    }

    /**
     * The same, but for one option.
     *
     * @param <T>    its type
     * @param option of a module that is present
     * @param value  to set it to, checked as if it were text
     * @return another configuration
     * @throws ProxyException {@link ProxyResult#INVALID_ARGUMENT} for a bad value
     */
    public <T> ProxyConfig with(Option<T> option, T value) {
        Map<Option<?>, Setting> changed = new LinkedHashMap<>(settings);
        changed.put(option, new Setting(option, option.parse(written(option, value), "builder"), "builder"));
        return new ProxyConfig(changed);
    }

    /**
     * Every option with its value and source.
     *
     * @return in the order of declaration
     */
    public List<Setting> settings() {
        return List.copyOf(settings.values());
    }

    @SuppressWarnings("unchecked")
    private static <T> String written(Option<T> option, Object value) {
        return option.text((T) value);
    }

    /** Collects settings; not thread-safe. */
    public static final class Builder {
        private final Map<Option<?>, Object> explicit = new LinkedHashMap<>();
        private final Map<String, String> named = new LinkedHashMap<>();
        private Map<String, String> environment = System.getenv();
        private Map<String, String> properties = systemProperties();

        private Builder() {
        }

        /**
         * Sets an option.
         *
         * @param <T>    its type
         * @param option which
         * @param value  checked by {@link #build()} as if it were text
         * @return this
         */
        public <T> Builder set(Option<T> option, T value) {
            explicit.put(option, Objects.requireNonNull(value));
            return this;
        }

        /**
         * Sets an option by its property's name, as a command line does.
         *
         * @param key   with or without the prefix {@code proxyrt.}
         * @param value as text
         * @return this
         */
        public Builder set(String key, String value) {
            named.put(key.startsWith(PREFIX) ? key : PREFIX + key, value);
            return this;
        }

        /**
         * Takes these instead of the system properties.
         *
         * @param properties keys that do not start with {@code proxyrt.} are passed over
         * @return this
         */
        public Builder properties(Map<String, String> properties) {
            this.properties = Map.copyOf(properties);
            return this;
        }

        /**
         * Takes these instead of the process's environment, such as those of it that are meant for this program where
         * programs with other versions of this library have the same.
         *
         * @param environment names that are none of this library's, NCCL's or RCCL's are passed over
         * @return this
         */
        public Builder environment(Map<String, String> environment) {
            this.environment = Map.copyOf(environment);
            return this;
        }

        /**
         * Resolves and checks everything.
         *
         * @return the configuration
         * @throws ProxyException {@link ProxyResult#INVALID_ARGUMENT} for a bad value, an unknown key, or an unknown
         *                        name in the environment that begins with {@code PROXYRT_}
         */
        public ProxyConfig build() {
            List<Option<?>> options = new ArrayList<>();
            providers().forEach(provider -> options.addAll(provider.options()));
            rejectUnknown(options, named, "builder");
            rejectUnknown(options, properties, "property");
            EnvironmentCheck.of(options, environment.keySet()).enforce();
            Map<Option<?>, Setting> settings = new LinkedHashMap<>();
            for (Option<?> option : options) {
                settings.put(option, resolve(option));
            }
            ProxyConfig config = new ProxyConfig(settings);
            if (Integer.bitCount(config.get(CoreOptions.LANE_CAPACITY)) != 1) {
                throw new ProxyException(ProxyResult.INVALID_ARGUMENT, CoreOptions.LANE_CAPACITY + " is "
                        + config.get(CoreOptions.LANE_CAPACITY) + ": must be a power of two");
            }
            return config;
        }

        private Setting resolve(Option<?> option) {
            Object value = explicit.get(option);
            if (value != null) {
                return new Setting(option, option.parse(written(option, value), "builder"), "builder");
            }
            if (named.containsKey(option.key())) {
                return parsed(option, named.get(option.key()), "builder");
            }
            if (properties.containsKey(option.key())) {
                return parsed(option, properties.get(option.key()), "property");
            }
            String fromEnvironment = environment.get(option.environmentName());
            if (fromEnvironment != null) {
                return parsed(option, fromEnvironment, option.environmentName());
            }
            String fromAlias = option.alias().isEmpty() ? null : environment.get(option.alias());
            if (fromAlias != null && !fromAlias.isEmpty()) {
                return parsed(option, fromAlias, option.alias());
            }
            return new Setting(option, option.defaultValue(), "default");
        }

        private static Setting parsed(Option<?> option, String text, String source) {
            return new Setting(option, option.parse(text, source), source);
        }

        private static void rejectUnknown(List<Option<?>> options, Map<String, String> given, String source) {
            for (String key : given.keySet()) {
                if (key.startsWith(PREFIX) && options.stream().noneMatch(o -> o.key().equals(key))) {
                    throw new ProxyException(ProxyResult.INVALID_ARGUMENT, "unknown option " + key + " (from " + source
                            + ")" + Suggestion.of(key, options.stream().map(Option::key).toList())
                                    .map(meant -> "; did you mean " + meant + "?").orElse("")
                            + "; `proxyrt info` lists those there are");
                }
            }
        }

        private static Map<String, String> systemProperties() {
            Map<String, String> properties = new LinkedHashMap<>();
            System.getProperties().stringPropertyNames().stream().filter(key -> key.startsWith(PREFIX))
                    .forEach(key -> properties.put(key, System.getProperty(key)));
            return properties;
        }
    }
}

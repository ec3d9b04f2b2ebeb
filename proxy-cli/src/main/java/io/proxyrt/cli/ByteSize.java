/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads sizes as nccl-tests does: a number, also a broken one, with K, M or G for powers of 1024. */
final class ByteSize implements ITypeConverter<Long> {
    private static final Pattern FORM = Pattern.compile("(\\d{1,19}(?:\\.\\d{1,9})?)([KMGkmg]?)");
    private static final String UNITS = " KMG";

    @Override
    public Long convert(String text) {
        Matcher form = FORM.matcher(text);
        if (!form.matches()) {
            throw new TypeConversionException("'" + text + "' is not a size: a number of bytes, with K, M or G for "
                    + "powers of 1024, such as 8, 64K or 1.5M");
        }
        int power = Math.max(0, UNITS.indexOf(form.group(2).toUpperCase(Locale.ROOT)));
        BigDecimal bytes = new BigDecimal(form.group(1)).multiply(BigDecimal.valueOf(1L << 10 * power))
                .setScale(0, RoundingMode.DOWN);
        if (bytes.compareTo(BigDecimal.valueOf(Long.MAX_VALUE)) > 0) {
            throw new TypeConversionException("'" + text + "' is too large a size");
        }
        return bytes.longValueExact();
    }
}

/* Floats as text, and back: the shortest digits that read back the same, laid out as Python's repr does. */
#include "machine_internal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Digits and decimal point for digits d.ddd * 10^exponent. */
static size_t lay_out(const char *digits, int count, int exponent, bool negative, char *to)
{
    char *p = to;
    if (negative) {
        *p++ = '-';
    }
    if (exponent < -4 || exponent >= 16) {
        *p++ = digits[0];
        if (count > 1) {
            *p++ = '.';
            memcpy(p, digits + 1, (size_t)count - 1);
            p += count - 1;
        }
        return (size_t)(p - to) + (size_t)snprintf(p, 8, "e%c%02d", exponent < 0 ? '-' : '+', abs(exponent));
    }
    if (exponent < 0) {
        *p++ = '0';
        *p++ = '.';
        for (int i = -1; i > exponent; i--) {
            *p++ = '0';
        }
        memcpy(p, digits, (size_t)count);
        p += count;
    } else {
        for (int i = 0; i <= exponent; i++) {
            *p++ = i < count ? digits[i] : '0';
        }
        *p++ = '.';
        if (count <= exponent + 1) {
            *p++ = '0';
        } else {
            memcpy(p, digits + exponent + 1, (size_t)(count - exponent - 1));
            p += count - exponent - 1;
        }
    }
    *p = '\0';
    return (size_t)(p - to);
}

static size_t put_digits(uint64_t u, char *to)
{
    char digits[24];
    size_t n = 0;
    do {
        digits[n++] = (char)('0' + u % 10);
        u /= 10;
    } while (u);
    for (size_t i = 0; i < n; i++) {
        to[i] = digits[n - 1 - i];
    }
    return n;
}

/* Numbers with few decimals, without trying lengths: m / 10^k is right when it divides back to d, m below 10^15. */
static size_t few_decimals(double d, char *to)
{
    static const double powers[] = {1, 10, 100, 1000, 10000, 100000, 1000000};
    double a = fabs(d);
    if (!(a < 1e9 && a >= 1e-4) && a != 0.0) {
        return 0;
    }
    for (int k = 1; k <= 6; k++) {
        double m = nearbyint(a * powers[k]);
        if (m / powers[k] == a && (m >= 1 || a == 0.0)) {
            char *p = to;
            if (signbit(d)) {
                *p++ = '-';
            }
            uint64_t whole = (uint64_t)m / (uint64_t)powers[k];
            uint64_t rest = (uint64_t)m % (uint64_t)powers[k];
            p += put_digits(whole, p);
            *p++ = '.';
            char digits[24];
            size_t n = put_digits(rest, digits);
            for (size_t i = n; i < (size_t)k; i++) {
                *p++ = '0';
            }
            memcpy(p, digits, n);
            p += n;
            *p = '\0';
            return (size_t)(p - to);
        }
    }
    return 0;
}

size_t float_format(double d, char *to)
{
    if (isnan(d) || isinf(d)) {
        strcpy(to, isnan(d) ? "nan" : d < 0 ? "-inf" : "inf");
        return strlen(to);
    }
    size_t n = few_decimals(d, to);
    if (n > 0) {
        return n;
    }
    char text[40];
    for (int precision = fabs(d) < 2.3e-308 ? 0 : 14; precision <= 16; precision++) {
        snprintf(text, sizeof(text), "%.*e", precision, fabs(d));
        if (precision == 16 || strtod(text, NULL) == fabs(d)) {
            break;
        }
    }
    char digits[24];
    int count = 0;
    const char *p = text;
    for (; *p && *p != 'e'; p++) {
        if (*p != '.') {
            digits[count++] = *p;
        }
    }
    while (count > 1 && digits[count - 1] == '0') {
        count--;
    }
    return lay_out(digits, count, atoi(p + 1), signbit(d), to);
}

static bool spelled(const char *p, size_t n, const char *word)
{
    for (size_t i = 0; i < n; i++) {
        if ((p[i] | 0x20) != word[i]) {
            return false;
        }
    }
    return word[n] == '\0';
}

bool float_parse(const char *data, size_t length, double *ret)
{
    static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    size_t at = length > 0 && (data[0] == '-' || data[0] == '+');
    bool negative = at && data[0] == '-';
    const char *p = data + at;
    size_t n = length - at;
    if (spelled(p, n, "nan") || spelled(p, n, "inf") || spelled(p, n, "infinity")) {
        double d = (p[0] | 0x20) == 'n' ? NAN : INFINITY;
        *ret = negative ? -d : d;
        return true;
    }
    uint64_t mantissa = 0;
    int digits = 0, exponent = 0;
    bool any = false, point = false;
    for (; at < length && ((data[at] >= '0' && data[at] <= '9') || (data[at] == '.' && !point)); at++) {
        if (data[at] == '.') {
            point = true;
            continue;
        }
        any = true;
        exponent -= point;
        if (mantissa > 0 || data[at] != '0') {
            digits++;
        }
        if (digits <= 18) {
            mantissa = mantissa * 10 + (uint64_t)(data[at] - '0');
        }
    }
    if (!any) {
        return false;
    }
    if (at < length && (data[at] == 'e' || data[at] == 'E')) {
        at++;
        bool down = at < length && data[at] == '-';
        at += at < length && (data[at] == '-' || data[at] == '+');
        int e = 0;
        size_t first = at;
        for (; at < length && data[at] >= '0' && data[at] <= '9'; at++) {
            e = e > 99999 ? e : e * 10 + (data[at] - '0');
        }
        if (at == first) {
            return false;
        }
        exponent += down ? -e : e;
    }
    if (at != length) {
        return false;
    }
    if (digits <= 18 && mantissa <= (UINT64_C(1) << 53) && exponent >= -22 && exponent <= 22) {
        double d = (double)mantissa;
        d = exponent < 0 ? d / powers[-exponent] : d * powers[exponent];
        *ret = negative ? -d : d;
        return true;
    }
    char small[64];
    char *copy = length < sizeof(small) ? small : malloc(length + 1);
    if (!copy) {
        return false;
    }
    memcpy(copy, data, length);
    copy[length] = '\0';
    *ret = strtod(copy, NULL);
    if (copy != small) {
        free(copy);
    }
    return true;
}

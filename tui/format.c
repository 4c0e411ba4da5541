/* Sizes and times for people. */
#include "draw.h"

#include <stdio.h>

const char *format_size(char to[FORMAT_MAX], uint64_t bytes)
{
    static const char units[] = "BKMGT";
    double value = (double)bytes;
    size_t unit = 0;
    while (value >= 1023.5 && unit + 2 < sizeof units) {
        value /= 1024;
        unit++;
    }
    bool tenths = unit > 0 && value < 9.95 && value != (double)(uint64_t)value;
    snprintf(to, FORMAT_MAX, "%.*f%c", tenths ? 1 : 0, value, units[unit]);
    return to;
}

const char *format_duration(char to[FORMAT_MAX], int64_t microseconds)
{
    double seconds = (double)microseconds / 1e6;
    if (microseconds < 0) {
        snprintf(to, FORMAT_MAX, "0ms");
    } else if (seconds < 0.9995) {
        snprintf(to, FORMAT_MAX, "%.0fms", seconds * 1e3);
    } else if (seconds < 59.95) {
        snprintf(to, FORMAT_MAX, "%.1fs", seconds);
    } else {
        snprintf(to, FORMAT_MAX, "%lldm%02llds", (long long)(seconds / 60), (long long)seconds % 60);
    }
    return to;
}

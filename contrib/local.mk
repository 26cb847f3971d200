# What users run beside cputop.

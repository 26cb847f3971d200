# Manual pages (mdoc).

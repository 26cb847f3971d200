app_sources =

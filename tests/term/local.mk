# term tests

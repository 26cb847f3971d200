server_sources = \
	src/server/server.h

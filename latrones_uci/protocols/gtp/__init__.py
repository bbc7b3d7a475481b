"""The Go Text Protocol, version 2, with the commands of GoGui for other games than Go."""

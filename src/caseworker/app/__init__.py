"""The application: settings, wiring, command line and host process. Only this package chooses the implementations of
the ports."""

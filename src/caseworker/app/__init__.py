"""Settings, wiring, the command line and the host process: the one place that knows which real thing stands where."""
